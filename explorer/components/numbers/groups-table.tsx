/** The table of groups and their numbers. A group leads to the list of its records. */
import type { GroupDescription, NumberDescription, ResourceDescription } from '../../../src/explorer/description.ts'
import { groupTitle, numberText, numberTitle } from '../../api/groups.ts'
import type { Json } from '../../api/format.ts'
import { isNumeric, type Row } from '../../api/records.ts'
import type { Pair } from '../../url/address.ts'
import { listOf, withGroup } from '../../url/numbers.ts'
import type { SortUse } from '../../url/sorts.ts'
import { Icon } from '../basics/icon.tsx'
import { Link } from '../basics/link.tsx'

interface GroupsTableProps {
  readonly resource: ResourceDescription
  readonly groups: readonly GroupDescription[]
  readonly numbers: readonly NumberDescription[]
  readonly items: readonly Row[]
  readonly params: readonly Pair[]
  readonly sorts: readonly SortUse[]
  readonly busy: boolean
  readonly nameOf: (group: GroupDescription, value: Json | undefined) => string
  readonly onSort: (name: string, add: boolean) => void
}

export function GroupsTable (props: GroupsTableProps) {
  const { resource, groups, numbers, items, params, sorts, busy, nameOf, onSort } = props
  return (
    <table class='groups' aria-busy={busy} aria-label={`Numbers about ${resource.title.toLowerCase()}`}>
      <thead>
        <tr>
          {groups.map((group) => (
            <Header
              key={group.key}
              name={group.name}
              title={groupTitle(group)}
              zone={group.period?.timeZone}
              sorts={sorts}
              onSort={onSort}
            />
          ))}
          {numbers.map((number) => (
            <Header
              key={number.key}
              name={number.name}
              title={numberTitle(number)}
              isNumber={isNumeric(number)}
              sorts={sorts}
              onSort={onSort}
            />
          ))}
        </tr>
      </thead>
      <tbody>
        {items.map((item, index) => {
          const list = groups.reduce<readonly Pair[] | undefined>(
            (params, group) => params && withGroup(params, group, item[group.key], resource),
            listOf(resource, params).params
          )
          return (
            <tr key={index}>
              {groups.map((group, at) => {
                const text = nameOf(group, item[group.key])
                const value = item[group.key] === null ? <span class='null'>{text}</span> : <bdi>{text}</bdi>
                return (
                  <th scope='row' key={group.key}>
                    {at === 0 && list && resource.operations.list
                      ? (
                        <Link
                          class='ref'
                          to={{ path: resource.path, params: list, own: {} }}
                          title={`${text}: open the list of these ${resource.title.toLowerCase()}`}
                        >
                          {value}
                        </Link>
                        )
                      : value}
                  </th>
                )
              })}
              {numbers.map((number) => {
                const value = item[number.key]
                const text = numberText(value, number.value)
                return (
                  <td key={number.key} class={isNumeric(number) ? 'number' : undefined}>
                    {value === null
                      ? <span class='null'>null</span>
                      : <span title={text === String(value) ? undefined : String(value)}>{text}</span>}
                  </td>
                )
              })}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

interface HeaderProps {
  readonly name: string
  readonly title: string
  readonly zone?: string | null | undefined
  readonly isNumber?: boolean
  readonly sorts: readonly SortUse[]
  readonly onSort: (name: string, add: boolean) => void
}

function Header ({ name, title, zone, isNumber, sorts, onSort }: HeaderProps) {
  const index = sorts.findIndex((sort) => sort.name === name)
  const isDown = sorts[index]?.direction === 'desc'
  return (
    <th
      scope='col'
      class={isNumber ? 'number' : undefined}
      aria-sort={index === -1 ? 'none' : isDown ? 'descending' : 'ascending'}
    >
      <button
        type='button'
        title='Sort. With Shift, add to the order.'
        onClick={(event) => onSort(name, event.shiftKey)}
      >
        <span>{title}</span>
        {zone && <span class='zone'>{` ${zone}`}</span>}
        {index !== -1 && <Icon name={isDown ? 'down' : 'up'} />}
        {index !== -1 && sorts.length > 1 && <sup>{index + 1}</sup>}
      </button>
    </th>
  )
}
