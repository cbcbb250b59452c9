/** The values of a record, and its relations. */
import type { RelationDescription, ResourceDescription } from '../../../src/explorer/description.ts'
import { wantedOf } from '../../api/names.ts'
import { inReadingOrder, isRow, labelOf, relationsOf, resourceAt, titleOf, type Row } from '../../api/records.ts'
import { useApi } from '../../state/context.ts'
import { NamesContext, useNames } from '../../state/names.ts'
import { Link } from '../basics/link.tsx'
import { addressOfList, ToOne } from '../list/cell.tsx'
import { countText, type Json } from '../../api/format.ts'
import { Value } from './value.tsx'

interface RecordViewProps {
  readonly resource: ResourceDescription
  readonly record: Row
  /** The paths that are included. */
  readonly includes: readonly string[]
  readonly onInclude: (path: string) => void
}

export function RecordView ({ resource, record, includes, onInclude }: RecordViewProps) {
  const relations = relationsOf(resource.includes)
  const isMany = (name: string): boolean => relations.some((relation) => relation.name === name && relation.many)
  const known = inReadingOrder(resource.fields, resource).map(({ name }) => name).filter((name) => name in record)
  const names = [...known, ...Object.keys(record).filter((name) => !known.includes(name))]
  const nameOf = useNames(
    wantedOf(resource.fields.map(({ name, reference }) => [reference?.resource ?? null, record[name]]))
  )
  return (
    <NamesContext.Provider value={nameOf}>
      <dl class='values'>
        {names.filter((name) => !isMany(name)).map((name) => {
          const field = resource.fields.find((field) => field.name === name)
          const relation = relations.find((relation) => relation.name === name)
          return (
            <div key={name}>
              <dt>{titleOf(name)}</dt>
              <dd>
                {relation && isRow(record[name])
                  ? <Related relation={relation} value={record[name]} />
                  : field?.reference && record[name] !== null
                    ? (
                      <span class='row'>
                        <ToOne path={field.reference.resource} value={record[name]!} />
                        {relation?.allowed && (
                          <button
                            type='button'
                            class='button button-small'
                            onClick={() => onInclude(relation.path)}
                          >
                            Show {titleOf(name).toLowerCase()}
                          </button>
                        )}
                      </span>
                      )
                    : <Value value={record[name]!} field={field} />}
              </dd>
            </div>
          )
        })}
      </dl>
      {relations.map((relation) => {
        const value = record[relation.name]
        const isIncluded = includes.some((path) => path === relation.path || path.startsWith(`${relation.path}.`))
        // the value of a to-one relation has the way to its record
        if (!relation.many) return null
        const list = addressOfList(relation.list, record)
        return (
          <section class='relation' key={relation.path}>
            <h3>
              {titleOf(relation.name)}
              {Array.isArray(value) && <span class='chip chip-still'>{countText(value.length)}</span>}
            </h3>
            {list && (
              <Link class='button button-small' to={list}>
                Open the list<span class='hidden'>of {relation.name}</span>
              </Link>
            )}
            {!isIncluded && relation.allowed && (
              <button
                type='button'
                class='button button-small'
                onClick={() => onInclude(relation.path)}
              >
                Show {titleOf(relation.name).toLowerCase()}
              </button>
            )}
            {Array.isArray(value) && <RelatedItems relation={relation} items={value} />}
          </section>
        )
      })}
    </NamesContext.Provider>
  )
}

/** Related records are long lists at times. Their own list shows all of them. */
const SHOWN = 50

function RelatedItems (
  { relation, items }: { readonly relation: RelationDescription, readonly items: readonly Json[] }
) {
  if (items.length === 0) return <p class='quiet'>None.</p>
  return (
    <ul class='related'>
      {items.slice(0, SHOWN).map((item, index) => (
        <li key={index}>
          <Related relation={relation} value={item} />
        </li>
      ))}
      {items.length > SHOWN && <li class='quiet'>{countText(items.length - SHOWN)} more are in the answer.</li>}
    </ul>
  )
}

/** An included record: its name as a link, its values folded, and the relations that it includes. */
function Related ({ relation, value }: { readonly relation: RelationDescription, readonly value: Json }) {
  const { description } = useApi()
  const resource = resourceAt(description, relation.reference.resource)
  if (!isRow(value)) return <Value value={value} field={undefined} />
  const nested = relationsOf(relation.includes).filter(({ name }) => name in value && typeof value[name] === 'object')
  const isNested = (name: string): boolean => nested.some((relation) => relation.name === name)
  return (
    <div class='related-record'>
      <ToOne path={relation.reference.resource} value={value} />
      <details>
        <summary>
          values<span class='hidden'>of {labelOf(resource?.lookup, value)}</span>
        </summary>
        <dl class='values values-small'>
          {Object.entries(value).filter(([name]) => !isNested(name)).map(([name, each]) => (
            <div key={name}>
              <dt>{titleOf(name)}</dt>
              <dd>
                <Value value={each} field={relation.fields.find((field) => field.name === name)} />
              </dd>
            </div>
          ))}
        </dl>
      </details>
      {nested.map((below) => {
        const items = value[below.name]!
        return (
          <div class='related-below' key={below.path}>
            <span class='quiet'>{titleOf(below.name)}</span>
            {Array.isArray(items)
              ? <RelatedItems relation={below} items={items} />
              : items !== null && <Related relation={below} value={items} />}
          </div>
        )
      })}
    </div>
  )
}
