/**
 * Reads the pagination parameters. A query string may use those of one style of `src/base/page-styles.ts`.
 * `planWindow` in `src/plan/window.ts` checks later whether a number is within the maximums of a whitelist.
 */
import { mixtureOf, PAGE_PARAMETERS, RIVALS } from '../base/page-styles.ts'
import type {
  ChoiceParameter, NumberParameter, PageParameter, PageParameterName, PageValues,
} from '../base/page-styles.ts'
import { queryParamError } from './query-error.ts'
import type { QueryParamError } from './parsed-query.ts'

const CODE = 'FST_CRUD_PAGINATION_INVALID'

/** The values of pagination parameters, which are set one by one. */
type Target = { -readonly [Name in keyof PageValues]: PageValues[Name] }

/**
 * The pagination read so far. Parameters are few, so they are in lists: V8 takes long to find out that an object lacks
 * a name.
 */
interface PaginationDraft {
  /** The parameters in their order. */
  readonly given: PageParameterName[]
  /** Those of them that are given more than once. */
  readonly repeated: PageParameterName[]
  readonly values: Value[]
  mixed: boolean
}

/** A parameter with its value. */
interface Value {
  readonly name: PageParameterName
  readonly value: PageValues[PageParameterName]
}

export function newPagination (): PaginationDraft {
  return { given: [], repeated: [], values: [], mixed: false }
}

/**
 * Takes one pagination parameter. If it is not valid, the reason is added to `errors`.
 *
 * @param name the root of the parameter's name
 * @param parameter the whole name. It differs from `name` if it has brackets, which are an error here.
 */
export function takePagination (
  draft: PaginationDraft,
  name: PageParameterName,
  parameter: string,
  text: string,
  errors: QueryParamError[]
): void {
  if (parameter !== name) {
    errors.push(queryParamError(CODE, parameter, `${name} takes one value and no brackets.`, { suggestion: name }))
    return
  }
  const { given, repeated, values } = draft
  if (given.includes(name)) {
    if (repeated.includes(name)) return
    repeated.push(name)
    errors.push(queryParamError(CODE, name, `${name} is given more than once.`))
    return
  }
  const rival = draft.mixed || given.length === 0 ? undefined : RIVALS.get(name)!.find((one) => given.includes(one))
  given.push(name)
  if (rival !== undefined) {
    draft.mixed = true
    errors.push(queryParamError(CODE, name, mixtureOf(name, rival)))
  }
  const value = valueOf(name, text, errors)
  if (value !== undefined) values.push({ name, value })
}

/** The value of a parameter. If its text is not valid, the reason is added to `errors`. */
function valueOf (name: PageParameterName, text: string, errors: QueryParamError[]): Value['value'] {
  const parameter: PageParameter = PAGE_PARAMETERS[name]
  switch (parameter.value) {
    case 'text':
      return text
    case 'choice':
      return choiceOf(name, parameter, text, errors)
    case 'number':
      return numberOf(name, parameter, text, errors)
  }
}

/** Copies the values that were read. */
export function finishPagination (target: Target, { values }: PaginationDraft): void {
  for (const { name, value } of values) target[name] = value as never
}

function choiceOf (
  name: PageParameterName,
  { choices }: ChoiceParameter,
  text: string,
  errors: QueryParamError[]
): PageValues['count'] {
  if (choices.includes(text)) return text as PageValues['count']
  errors.push(queryParamError(CODE, name, `${name} must be ${choices.join(' or ')}.`, { allowed: choices }))
  return undefined
}

function numberOf (
  name: PageParameterName,
  { minimum }: NumberParameter,
  text: string,
  errors: QueryParamError[]
): number | undefined {
  // a larger number exceeds the limits of every list, which the planner names
  const value = /^[0-9]+$/.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : NaN
  if (value >= minimum) return value
  errors.push(
    queryParamError(CODE, name, `${name} must be a whole number, at least ${minimum}, in decimal digits only.`)
  )
  return undefined
}
