/** The parameters read so far from a query string. A draft belongs to one call of the parser. */
import type { QueryCode } from '../base/errors.ts'
import { PAGE_PARAMETER_NAMES, type PageParameterName } from '../base/page-styles.ts'
import { readBrackets } from './brackets.ts'
import { dropFilter, finishFilters, takeFilter } from './gather-filters.ts'
import type { FilterSlots } from './gather-filters.ts'
import { emptyWithoutPrototype, frozen, withoutPrototype } from './frozen.ts'
import { isReserved, MAX_PARAMETERS, type QueryForm } from './limits.ts'
import { Refusal } from './refusal.ts'
import { NameList, takeNames, tidyName, tidySort } from './read-names.ts'
import type { Tidy } from './read-names.ts'
import { finishPagination, newPagination, takePagination } from './pagination.ts'
import { queryParamError } from './query-error.ts'
import { SUMMARY_PARAMETERS, type QueryParamError, type QueryParams, type SummaryParameter } from './parsed-query.ts'

/** A parameter of the grammar. */
interface Parameter {
  /** The root of its name. */
  readonly root: 'filter' | ListParameter | PageParameterName
  /** The code of its errors. */
  readonly code: QueryCode
  /** Whether an application may use the name for another parameter, and declare it. */
  readonly declarable: boolean
}

/** Names that applications may use for something else. */
const DECLARABLE: ReadonlySet<string> = new Set(['count', ...SUMMARY_PARAMETERS])

/** The parameters by the root of their name. */
const PARAMETERS: ReadonlyMap<string, Parameter> = new Map(
  [
    parameter('filter', 'FST_CRUD_FILTER_INVALID'),
    parameter('sort', 'FST_CRUD_SORT_INVALID'),
    parameter('fields', 'FST_CRUD_FIELD_INVALID'),
    parameter('include', 'FST_CRUD_INCLUDE_INVALID'),
    ...SUMMARY_PARAMETERS.map((name) => parameter(name, 'FST_CRUD_FIELD_INVALID')),
    ...PAGE_PARAMETER_NAMES.map((name) => parameter(name, 'FST_CRUD_PAGINATION_INVALID')),
  ].map((parameter) => [parameter.root, parameter])
)

function parameter (root: Parameter['root'], code: QueryCode): Parameter {
  return { root, code, declarable: DECLARABLE.has(root) }
}

const NO_NAMES: readonly string[] = frozen([])
const NO_FIELDS: QueryParams['fieldsByInclude'] = withoutPrototype({})

/** The parameters that are lists of names. */
type ListParameter = 'sort' | 'include' | 'fields' | SummaryParameter

/** Names that can be looked up, such as those in a `Set`. */
interface DeclaredNames {
  /** Whether a parameter is declared. */
  readonly has: (name: string) => boolean
}

/** The options of `parseQueryParams`. */
export interface ParseOptions {
  /**
   * Names of top-level parameters that the route schema of the application declares: a list, a set, or any object with
   * a method `has`. They are not listed in `unknown`. Default: none.
   */
  readonly declared?: readonly string[] | DeclaredNames
}

/** Gathers the parameters of one query string in their order. */
export class Draft {
  readonly form: QueryForm
  readonly #options: ParseOptions | undefined
  readonly #errors: QueryParamError[]
  readonly #filters: FilterSlots = new Map()
  readonly #lists = new Map<ListParameter, NameList>()
  #fieldsByInclude: Map<string, NameList> | undefined
  readonly #pagination = newPagination()
  #unknown: Set<string> | undefined
  /** Read from the options only if a query has names that are not part of the grammar. */
  #declared: ParseOptions['declared']
  #parameters = 0
  /** The names of the parameters so far, in a body. */
  #names: Set<string> | undefined

  constructor (form: QueryForm, options?: ParseOptions, errors: QueryParamError[] = []) {
    this.form = form
    this.#options = options
    this.#errors = errors
  }

  /** Whether the application declares a parameter. */
  isDeclared (name: string): boolean {
    this.#declared ??= this.#options?.declared ?? NO_NAMES
    const root = rootOf(name)
    return 'has' in this.#declared
      ? this.#declared.has(root) || this.#declared.has(name)
      : this.#declared.includes(root) || this.#declared.includes(name)
  }

  /** Records a parameter that is not part of the grammar, unless the application declares it. */
  notice (name: string): void {
    if (!this.isDeclared(name)) (this.#unknown ??= new Set()).add(name)
  }

  /**
   * Takes one occurrence of a parameter.
   *
   * @param isFurther whether it is a further item of a list that has been counted as a parameter
   */
  take (name: string, text: string, isFurther = false): void {
    const open = name.indexOf('[')
    const parameter = PARAMETERS.get(open === -1 ? name : name.slice(0, open))
    if (parameter === undefined || (parameter.declarable && this.isDeclared(name))) return this.notice(name)
    const { root, code } = parameter
    if (!text.isWellFormed() || !name.isWellFormed()) {
      return this.refuse(name, 'This parameter is not valid Unicode text.')
    }
    if (!isFurther && !this.#isRepeated(name)) this.#count()
    switch (root) {
      case 'filter':
        return takeFilter(this.#filters, name, open, text, this.#errors)
      case 'sort':
        return this.#takeSort(name, open, text, code)
      case 'fields':
        return this.#takeFields(name, open, text, code)
      case 'include':
      case 'group':
      case 'aggregate':
      case 'facets':
        return this.#takeList(this.#listOf(root), tidyName, name, open, text, code)
      default:
        return takePagination(this.#pagination, root, name, text, this.#errors)
    }
  }

  /** Records that an occurrence of a parameter cannot be read. */
  refuse (name: string, detail: string, more?: Pick<QueryParamError, 'limit'>): void {
    const parameter = PARAMETERS.get(rootOf(name))
    if (parameter === undefined) return this.notice(name)
    const { root, code } = parameter
    this.#count()
    const inGroup = root === 'filter' ? dropFilter(this.#filters, name, name.indexOf('[')) : undefined
    this.#errors.push(queryParamError(code, name, detail, more ?? inGroup))
  }

  /** Records a parameter whose name cannot be read. */
  refuseUnnamed (): void {
    this.#count()
    const detail = 'The name of a parameter is not valid percent-encoded UTF-8.'
    this.#errors.push(queryParamError('FST_CRUD_QUERY_INVALID', undefined, detail))
  }

  /** Returns everything that was read, frozen. */
  finish (): QueryParams {
    const { filters, groups } = finishFilters(this.#filters, this.form, this.#errors)
    const lists = this.#lists
    const params = emptyWithoutPrototype<QueryParams>()
    params.filters = filters
    params.groups = groups
    params.sort = lists.get('sort')?.finish() ?? NO_NAMES
    params.include = lists.get('include')?.finishDistinct() ?? NO_NAMES
    params.fields = lists.get('fields')?.finishDistinct() ?? NO_NAMES
    params.fieldsByInclude = this.#fieldsByInclude === undefined ? NO_FIELDS : finishFields(this.#fieldsByInclude)
    params.unknown = this.#unknown === undefined ? NO_NAMES : frozen([...this.#unknown])
    params.errors = frozen(this.#errors)
    for (const name of SUMMARY_PARAMETERS) {
      const list = lists.get(name)
      if (list !== undefined && list.length > 0) params[name] = list.finishDistinct()
    }
    finishPagination(params, this.#pagination)
    return Object.freeze(params)
  }

  /** Refuses a mixture such as `sort[]=a&sort=b&sort[]=c`, because most parsers of query strings lose its order. */
  #takeSort (name: string, open: number, text: string, code: QueryCode): void {
    const names = this.#listOf('sort')
    this.#takeList(names, tidySort, name, open, text, code)
    if (!names.endMixture()) return
    this.#errors.push(
      queryParamError(
        code,
        name,
        'This list is given both with [] and without, so its order is ambiguous. Write all of it in one way.'
      )
    )
  }

  #takeList (names: NameList, tidy: Tidy, name: string, open: number, text: string, code: QueryCode): void {
    if (readBrackets(name, open)?.levels.length === 0) {
      takeNames(names, tidy, code, name, text, this.#errors)
    } else {
      const root = rootOf(name)
      this.#errors.push(
        queryParamError(code, name, `${root} takes no name in brackets: write ${root}=a,b.`, { suggestion: root })
      )
    }
  }

  #listOf (parameter: ListParameter): NameList {
    let list = this.#lists.get(parameter)
    if (list === undefined) this.#lists.set(parameter, list = new NameList())
    return list
  }

  #takeFields (name: string, open: number, text: string, code: QueryCode): void {
    const levels = readBrackets(name, open)?.levels
    if (levels === undefined || levels.length > 1) {
      this.#errors.push(
        queryParamError(code, name, "This list of fields can't be read. Write fields=a,b or fields[<include>]=a,b.")
      )
      return
    }
    const [path] = levels
    if (path === undefined) return takeNames(this.#listOf('fields'), tidyName, code, name, text, this.#errors)
    if (isReserved(path)) {
      this.#errors.push(queryParamError(code, name, 'This list of fields uses a reserved name.', { limit: true }))
      return
    }
    const names = this.#fieldsByInclude?.get(path) ?? new NameList()
    takeNames(names, tidyName, code, name, text, this.#errors)
    if (names.length > 0) (this.#fieldsByInclude ??= new Map()).set(path, names)
  }

  /** In a body, a list may be longer than the number of parameters: only its first item counts as one. */
  #isRepeated (name: string): boolean {
    if (this.form !== 'body') return false
    const known = (this.#names ??= new Set()).has(name)
    this.#names.add(name)
    return known
  }

  #count (): void {
    if (++this.#parameters > MAX_PARAMETERS) throw Refusal.tooMany(this.form)
  }
}

/** Whether a parameter is part of the grammar. */
export const isParameter = (name: string): boolean => PARAMETERS.has(rootOf(name))

/** Whether a parameter is part of the grammar even if an application declares its name. */
export const isFixedParameter = (name: string): boolean => PARAMETERS.get(rootOf(name))?.declarable === false

/** The name of a parameter before its first bracket: `filter` of `filter[name]`. */
export function rootOf (name: string): string {
  const open = name.indexOf('[')
  return open === -1 ? name : name.slice(0, open)
}

const finishFields = (fieldsByInclude: ReadonlyMap<string, NameList>): QueryParams['fieldsByInclude'] =>
  withoutPrototype(Object.fromEntries(Array.from(fieldsByInclude, ([path, names]) => [path, names.finishDistinct()])))
