/** One condition: its operator, and an input for its value. */
import { useState } from 'preact/hooks'
import type { FilterDescription, OperatorDescription } from '../../../src/explorer/description.ts'
import { useKept } from '../../state/unsaved.ts'
import { itemsOf, parameterOf, type FilterUse } from '../../url/filters.ts'
import { joinItems } from '../../url/items.ts'
import { Words } from '../basics/words.tsx'
import { OperandInput } from './operand-input.tsx'
import { filterTitle, firstOperator, operatorOf, operatorWord } from './words.ts'

interface FilterEditorProps {
  /** The name under which what is typed is kept until it is applied. */
  readonly slot: string
  readonly filter: FilterDescription
  /** The condition that is being changed. */
  readonly use?: FilterUse
  readonly detail?: string | undefined
  /** The conditions of the list. A new one starts with an operator that they do not use. */
  readonly taken: readonly FilterUse[]
  /** Whether records that match are left out. Absent if that cannot be chosen. */
  readonly isNot?: boolean | undefined
  /** The word that joins another condition to this one. */
  readonly joint?: 'and' | 'or' | undefined
  readonly onJoin?: () => void
  readonly onApply: (use: FilterUse, isNot: boolean) => void
}

/** A condition that is not applied yet. */
interface Condition {
  readonly operator: string | undefined
  readonly items: readonly string[]
  readonly isNot: boolean
}

export function FilterEditor (props: FilterEditorProps) {
  const { slot, filter, use, detail, taken, isNot, joint, onJoin, onApply } = props
  const first = (use && operatorOf(filter, use.operator)) ?? freeOperator(filter, taken)
  const initial: Condition = {
    operator: first.name ?? undefined,
    items: use === undefined ? [] : partsOf(use, first),
    isNot: isNot === true,
  }
  const [condition, keep] = useKept(slot, initial)
  const [isRestored] = useState(condition !== initial)
  const { items } = condition
  const operator = operatorOf(filter, condition.operator) ?? first
  const apply = (): void => {
    keep(undefined)
    const isDefault = operator.name === filter.operators[0]?.name
    // the default operator keeps URLs short, unless its value is a list, which needs brackets without an operator
    const name = isDefault && operator.takes !== 'list' ? undefined : operator.name ?? undefined
    onApply({ field: filter.name, operator: name, value: textOfParts(items, operator) }, condition.isNot)
  }
  return (
    <form
      class='editor'
      onSubmit={(event) => {
        event.preventDefault()
        apply()
      }}
    >
      <p class='label'>{filterTitle(filter.name, filter)}</p>
      {isRestored && condition !== initial && (
        <p class='row quiet' role='status'>
          <span>You have typed this before. It is not applied yet.</span>
          <button type='button' class='button button-small' onClick={() => keep(undefined)}>Discard</button>
        </p>
      )}
      {filter.operators.length > 1 && (
        <select
          aria-label='Operator'
          value={operator.name ?? ''}
          onChange={({ currentTarget }) => {
            const next = operatorOf(filter, currentTarget.value)!
            // a list can become a value, and the other way round; other values start empty
            const isOther = next.takes !== operator.takes && (next.takes === 'boolean' || operator.takes === 'boolean')
            keep({ ...condition, operator: next.name ?? undefined, items: isOther ? [] : items })
          }}
        >
          {filter.operators.map((each) => (
            <option key={each.name} value={each.name ?? ''}>{operatorWord(each)}</option>
          ))}
        </select>
      )}
      <OperandInput
        key={`${operator.name} ${operator.takes}`}
        operator={operator}
        reference={filter.reference}
        items={items}
        onChange={(items) => keep({ ...condition, items })}
        invalid={detail !== undefined}
      />
      {isNot !== undefined && (
        <label class='check-line'>
          <input
            type='checkbox'
            checked={condition.isNot}
            onChange={({ currentTarget: { checked } }) => keep({ ...condition, isNot: checked })}
          />
          Not: leave out what matches
        </label>
      )}
      {detail !== undefined && <p class='bad' id='filter-error'>{detail}</p>}
      {!isChosen(operator, filter) && (
        <p class='quiet'>
          <Words
            text={(operator.name === null ? filter.description : `${filterTitle(filter.name)} ${operator.meaning}`)
              .replace(/\.$/, '') + (operator.example === null ? '.' : `, such as \`${operator.example}\`.`)}
          />
        </p>
      )}
      <div class='row'>
        <code class='quiet editor-parameter'>
          {parameterOf({ ...use, field: filter.name, operator: operator.name ?? undefined })}
        </code>
        {joint && (
          <button type='button' class='button' title={`Join another condition by “${joint}”`} onClick={onJoin}>
            {joint === 'or' ? 'Or…' : 'And…'}
          </button>
        )}
        <button class='button button-main'>Apply</button>
      </div>
    </form>
  )
}

/** Whether the value is chosen from what the page offers, so that it needs no explanation. */
const isChosen = ({ takes, value }: OperatorDescription, { reference }: FilterDescription): boolean =>
  takes === 'boolean' || value?.items !== undefined || value?.type === 'boolean' || Boolean(reference?.resource)

function freeOperator (filter: FilterDescription, taken: readonly FilterUse[]): OperatorDescription {
  const used = new Set(
    taken.filter(({ field }) => field === filter.name).map(({ operator }) => operatorOf(filter, operator)?.name)
  )
  const first = firstOperator(filter)
  return used.has(first.name) ? filter.operators.find(({ name }) => !used.has(name)) ?? first : first
}

function partsOf ({ value }: FilterUse, { takes }: OperatorDescription): readonly string[] {
  return takes === 'list' || takes === 'pair' || takes === 'tuple' ? itemsOf(value) : [value].flat()
}

function textOfParts (items: readonly string[], { takes }: OperatorDescription): string {
  if (takes === 'boolean') return items[0] ?? 'true'
  if (takes === 'list') return joinItems(items.filter((item) => item !== ''))
  if (takes === 'pair') return items.every((item) => item === '') ? '' : joinItems([items[0] ?? '', items[1] ?? ''])
  return takes === 'tuple' ? joinItems(items) : items[0] ?? ''
}
