/**
 * The entity tags of answers, for conditional requests (RFC 9110, section 8.8.3). A record that is shown as a whole has
 * its version as a strong tag. Other views of it have the version and a digest of the body, of which `If-Match`
 * compares the version. Every other answer has a digest alone, as a weak tag: the strong comparison of `If-Match` never
 * takes it for a version.
 */
import { hash } from 'node:crypto'
import { isOwnMethod, type CrudBase } from '../../crud/index.ts'
import type { EntityModel, Property } from '../../model/index.ts'
import { isComputed } from '../../plan/index.ts'
import type { QueryParams } from '../../query/index.ts'
import type { JsonAnswer } from '../../read/index.ts'
import { DIGEST_LENGTH, entityTag } from '../../write/index.ts'

/** The version of a record, if it has one that clients may see. */
export function seenVersion ({ version }: EntityModel): (record: JsonAnswer) => string | undefined {
  return version === undefined || version.hidden ? () => undefined : (record) => record.version
}

/** The entity tag of a body, which may be that of a record with a version. */
export function bodyTag (body: string, version?: string): string {
  const digest = hash('sha256', body, 'base64url').slice(0, DIGEST_LENGTH)
  return version === undefined ? `W/"${digest}"` : entityTag(version, digest)
}

/**
 * Whether the version of a record stands for all that a read of it shows: nothing comes from other rows or from a
 * function of the application, and callers with a role see no other record with the same version.
 *
 * @param model as the callers see it
 * @param whole the model of callers without a role
 */
export function versionIsWhole (model: EntityModel, whole: EntityModel, crud: CrudBase): boolean {
  const visible = ({ properties }: EntityModel): Property[] => [...properties.values()].filter(({ hidden }) => !hidden)
  return crud.afterRead === undefined && !isOwnMethod(crud, 'get') && !isOwnMethod(crud, 'getJson') &&
    visible(model).length === visible(whole).length &&
    visible(model).every((property) => property.kind !== 'scalar' || !isComputed(property))
}

/** Whether a request wants a record as it is, without relations and with all properties. */
export function wantsWhole ({ include, fields, fieldsByInclude }: QueryParams): boolean {
  return include.length === 0 && fields.length === 0 && Object.keys(fieldsByInclude).length === 0
}
