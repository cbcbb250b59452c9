/** The fields and relations of the answer, as a tree of check boxes. */
import type { FieldDescription, IncludeDescription, ResourceDescription } from '../../../src/explorer/description.ts'
import { relationsOf, titleOf } from '../../api/records.ts'
import type { Own, Pair } from '../../url/address.ts'
import { fieldsParameter, namesOf, withInclude, withNames } from '../../url/names.ts'
import { ColumnOrder, type Arrangement } from './column-order.tsx'

interface ColumnTreeProps {
  readonly resource: ResourceDescription
  readonly params: readonly Pair[]
  readonly own: Own
  readonly arrangement: Arrangement
  readonly onChange: (params: readonly Pair[]) => void
}

export function ColumnTree ({ resource, params, own, arrangement, onChange }: ColumnTreeProps) {
  return (
    <div class='tree'>
      <p class='label'>Fields</p>
      <Fields path='' fields={resource.fields} params={params} onChange={onChange} />
      {resource.includes.length > 0 && (
        <>
          <p class='label'>Relations, and numbers about them</p>
          <Includes includes={resource.includes} params={params} onChange={onChange} />
        </>
      )}
      <ColumnOrder own={own} arrangement={arrangement} />
    </div>
  )
}

interface FieldsProps {
  readonly path: string
  readonly fields: readonly FieldDescription[]
  readonly params: readonly Pair[]
  readonly onChange: (params: readonly Pair[]) => void
}

/** The fields of the records, or of an included relation. */
function Fields ({ path, fields, params, onChange }: FieldsProps) {
  const parameter = fieldsParameter(path)
  const all = fields.flatMap(({ select }) => select ?? [])
  const chosen = namesOf(params, parameter)
  if (all.length === 0) return <p class='quiet'>All fields, always.</p>
  const toggle = (name: string, on: boolean): void => {
    const before = chosen ?? all
    const next = all.filter((each) => each === name ? on : before.includes(each))
    onChange(withNames(params, parameter, next.length === all.length ? [] : next))
  }
  const isLast = chosen?.length === 1
  return (
    <>
      <ul class='tree-fields'>
        {fields.map(({ name, select }) => {
          const on = select === null ? chosen === undefined : chosen?.includes(select) ?? true
          return (
            <li key={name}>
              <label title={select === null ? 'This field cannot be chosen alone.' : undefined}>
                <input
                  type='checkbox'
                  checked={on}
                  disabled={select === null || (on && isLast)}
                  onChange={({ currentTarget }) => toggle(select!, currentTarget.checked)}
                />
                {titleOf(name)}
              </label>
            </li>
          )
        })}
      </ul>
      {chosen !== undefined && (
        <button
          type='button'
          class='button button-small'
          onClick={() => onChange(withNames(params, parameter, []))}
        >
          All fields
        </button>
      )}
    </>
  )
}

interface IncludesProps {
  readonly includes: readonly IncludeDescription[]
  readonly params: readonly Pair[]
  readonly onChange: (params: readonly Pair[]) => void
}

function Includes ({ includes, params, onChange }: IncludesProps) {
  const chosen = namesOf(params, 'include') ?? []
  return (
    <ul>
      {includes.map((include) => {
        const { path } = include
        const name = path.slice(path.lastIndexOf('.') + 1)
        // a nested include implies those on its way
        const isImplied = chosen.some((other) => other.startsWith(`${path}.`))
        const on = chosen.includes(path) || isImplied
        const isGroup = include.kind === 'relation' && !include.allowed
        return (
          <li key={path}>
            <label>
              <input
                type='checkbox'
                checked={on}
                disabled={isGroup && !on}
                onChange={({ currentTarget }) => onChange(withInclude(params, path, currentTarget.checked))}
              />
              {titleOf(name)}
              <span class='quiet'>{hintOf(include)}</span>
            </label>
            {include.kind === 'relation' && (on || isGroup || relationsOf(include.includes).length > 0) && (
              <div class='tree-below'>
                {on && <Fields path={path} fields={include.fields} params={params} onChange={onChange} />}
                {include.includes.length > 0 && (
                  <Includes includes={include.includes} params={params} onChange={onChange} />
                )}
              </div>
            )}
          </li>
        )
      })}
    </ul>
  )
}

function hintOf (include: IncludeDescription): string {
  if (include.kind === 'aggregate') {
    const { function: name, relation, property } = include
    const words = titleOf(relation).toLowerCase()
    return property === null ? `${name} of ${words}` : `${name} of ${words} › ${titleOf(property).toLowerCase()}`
  }
  const { many, reference, limit } = include
  return `${many ? `list of ${titleOf(reference.entity)}` : titleOf(reference.entity)}${
    limit === null ? '' : `, at most ${limit}`
  }`
}
