/**
 * Reads the pagination parameters. A query string may use those of one style of `src/base/page-styles.ts`.
 * `planWindow` in `src/plan/window.ts` checks later whether a number is within the maximums of a whitelist.
 */
import { mixtureOf, PAGE_PARAMETER_NAMES, PAGE_PARAMETERS, RIVALS } from '../base/page-styles.ts'
import type { ChoiceParameter, PageParameterName, PageValues } from '../base/page-styles.ts'
import { queryParamError } from './query-error.ts'
import type { QueryParamError } from './parsed-query.ts'

const CODE = 'FST_CRUD_PAGINATION_INVALID'

type Target = { -readonly [Name in keyof PageValues]: PageValues[Name] }

/** The pagination read so far: the values, and how often each parameter was given. */
interface PaginationDraft {
  readonly values: Target
  readonly given: Partial<Record<PageParameterName, number>>
  mixed: boolean
}

export function newPagination (): PaginationDraft {
  return { values: {}, given: {}, mixed: false }
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
  const before = draft.given[name] ?? 0
  draft.given[name] = before + 1
  if (before > 0) {
    if (before === 1) errors.push(queryParamError(CODE, name, `${name} is given more than once.`))
    return
  }
  const rival = draft.mixed ? undefined : RIVALS.get(name)!.find((rival) => draft.given[rival] !== undefined)
  if (rival !== undefined) {
    draft.mixed = true
    errors.push(queryParamError(CODE, name, mixtureOf(name, rival)))
  }
  switch (PAGE_PARAMETERS[name].value) {
    case 'text':
      draft.values[name as NameOf<'text'>] = text
      break
    case 'choice':
      takeChoice(draft, name as NameOf<'choice'>, text, errors)
      break
    case 'number':
      takeNumber(draft, name as NameOf<'number'>, text, errors)
  }
}

/** Copies the values that were read. */
export function finishPagination (target: Target, { values }: PaginationDraft): void {
  for (const name of PAGE_PARAMETER_NAMES) if (values[name] !== undefined) copy(target, values, name)
}

function copy<Name extends PageParameterName> (target: Target, values: Target, name: Name): void {
  target[name] = values[name]
}

/** The names of parameters with a kind of value. */
type NameOf<Kind> = {
  [Name in PageParameterName]: (typeof PAGE_PARAMETERS)[Name]['value'] extends Kind ? Name : never
}[PageParameterName]

function takeChoice (
  draft: PaginationDraft,
  name: NameOf<'choice'>,
  text: string,
  errors: QueryParamError[]
): void {
  const { choices }: ChoiceParameter = PAGE_PARAMETERS[name]
  if (choices.includes(text)) draft.values[name] = text as PageValues[typeof name] & {}
  else errors.push(queryParamError(CODE, name, `${name} must be ${choices.join(' or ')}.`, { allowed: choices }))
}

function takeNumber (
  draft: PaginationDraft,
  name: NameOf<'number'>,
  text: string,
  errors: QueryParamError[]
): void {
  const { minimum } = PAGE_PARAMETERS[name]
  // a larger number exceeds the limits of every list, which the planner names
  const value = /^[0-9]+$/.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : NaN
  if (value >= minimum) {
    draft.values[name] = value
  } else {
    errors.push(
      queryParamError(CODE, name, `${name} must be a whole number, at least ${minimum}, in decimal digits only.`)
    )
  }
}
