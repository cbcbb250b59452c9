/**
 * Conditional requests: the entity tags of answers, and the header Vary (RFC 9110, sections 8.8.3 and 12.5.5). A record
 * that is shown as a whole has its version as a strong tag. Other views of it have the version and a digest of the
 * body, of which `If-Match` compares the version. Every other answer has a digest alone, as a weak tag: the strong
 * comparison of `If-Match` never takes it for a version.
 */
import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { factsOf } from '../../config/index.ts'
import { isOwnMethod, type CrudBase } from '../../crud/index.ts'
import type { EntityModel, Property } from '../../model/index.ts'
import { isComputed } from '../../plan/index.ts'
import type { QueryParams } from '../../query/index.ts'
import { DIGEST_LENGTH, entityTag } from '../../write/index.ts'
import type { CrudOperation, CrudRoutesOptions } from '../route-options.ts'

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

/** Adds names to the header Vary, which other plugins may have set. */
export function addVary (reply: FastifyReply, names: readonly string[]): void {
  const present = [reply.getHeader('vary') ?? []].flat().flatMap((value) => String(value).split(/\s*,\s*/))
  const known = new Set(present.map((name) => name.toLowerCase()))
  if (known.has('*')) return
  const missing = names.filter((name) => !known.has(name))
  if (missing.length > 0) reply.header('vary', [...present, ...missing].join(', '))
}

/** The headers that usually tell who sends a request. */
const IDENTITY = ['authorization', 'cookie']

/**
 * The headers of requests that decide about the answer of an operation, for Vary (RFC 9110, section 12.5.5).
 *
 * A shared cache does not use an answer to a request with Authorization again (RFC 9111, section 3.5). But the cache of
 * one browser, or of one application, may serve several callers, so the headers that tell callers apart are named where
 * the answers to them differ.
 *
 * @param limited whether roles limit what requests may do
 */
export function varyOf (
  { stream = false, conditional, scope }: Pick<CrudRoutesOptions, 'stream' | 'conditional' | 'scope'>,
  limited: boolean
): (operation: CrudOperation) => readonly string[] {
  const byCaller = conditional === true && (limited || scope !== undefined) ? IDENTITY : []
  return (operation) => {
    const { writes, streams } = factsOf(operation)
    return writes ? [] : [...streams && stream !== false ? ['accept'] : [], ...byCaller]
  }
}
