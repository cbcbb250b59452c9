/** The parameters read so far from a query string. A draft belongs to one call of the parser. */
import type { QueryCode } from '../base/errors.ts'
import { PAGE_PARAMETER_NAMES, type PageParameterName } from '../base/page-styles.ts'
import { readBrackets } from './brackets.ts'
import { dropFilter, finishFilters, takeFilter } from './gather-filters.ts'
import type { FilterSlots } from './gather-filters.ts'
import { withoutPrototype, frozen } from './frozen.ts'
import { isReserved, MAX_PARAMETERS, type QueryForm } from './limits.ts'
import { Refusal } from './refusal.ts'
import { NameList, takeNames, tidyName, tidySort } from './read-names.ts'
import type { Tidy } from './read-names.ts'
import { finishPagination, newPagination, takePagination } from './pagination.ts'
import { queryParamError } from './query-error.ts'
import { SUMMARY_PARAMETERS, type QueryParamError, type QueryParams, type SummaryParameter } from './parsed-query.ts'

/** The parameters of the grammar, by the root of their name, with the code of their errors. */
const CODES: ReadonlyMap<string, QueryCode> = new Map<string, QueryCode>([
  ['filter', 'FST_CRUD_FILTER_INVALID'],
  ['sort', 'FST_CRUD_SORT_INVALID'],
  ['fields', 'FST_CRUD_FIELD_INVALID'],
  ['include', 'FST_CRUD_INCLUDE_INVALID'],
  ...SUMMARY_PARAMETERS.map((name) => [name, 'FST_CRUD_FIELD_INVALID'] as const),
  ...PAGE_PARAMETER_NAMES.map((name) => [name, 'FST_CRUD_PAGINATION_INVALID'] as const),
])

/** An application may use these names for other parameters, and declare them. */
const DECLARABLE: ReadonlySet<string> = new Set(SUMMARY_PARAMETERS)

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
  readonly #lists: { [Name in ListParameter]?: NameList } = {}
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
    const root = open === -1 ? name : name.slice(0, open)
    const code = CODES.get(root)
    if (code === undefined || (DECLARABLE.has(root) && this.isDeclared(name))) return this.notice(name)
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
        // `count` is a word that routes of applications may use for something else
        if (root === 'count' && this.isDeclared(name)) return
        return takePagination(this.#pagination, root as PageParameterName, name, text, this.#errors)
    }
  }

  /** Records that an occurrence of a parameter cannot be read. */
  refuse (name: string, detail: string, more?: Pick<QueryParamError, 'limit'>): void {
    const root = rootOf(name)
    const code = CODES.get(root)
    if (code === undefined) return this.notice(name)
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
    const { sort, include, fields } = this.#lists
    const params: { -readonly [Key in keyof QueryParams]: QueryParams[Key] } = {
      filters,
      groups,
      sort: sort?.finish() ?? NO_NAMES,
      include: include?.finishDistinct() ?? NO_NAMES,
      fields: fields?.finishDistinct() ?? NO_NAMES,
      fieldsByInclude: this.#fieldsByInclude === undefined ? NO_FIELDS : finishFields(this.#fieldsByInclude),
      unknown: this.#unknown === undefined ? NO_NAMES : frozen([...this.#unknown]),
      errors: frozen(this.#errors),
    }
    for (const name of SUMMARY_PARAMETERS) {
      const list = this.#lists[name]
      if (list !== undefined && list.length > 0) params[name] = list.finishDistinct()
    }
    finishPagination(params, this.#pagination)
    return withoutPrototype(params)
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
    this.#lists[parameter] ??= new NameList()
    return this.#lists[parameter]
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
export const isParameter = (name: string): boolean => CODES.has(rootOf(name))

/** The name of a parameter before its first bracket: `filter` of `filter[name]`. */
export function rootOf (name: string): string {
  const open = name.indexOf('[')
  return open === -1 ? name : name.slice(0, open)
}

const finishFields = (fieldsByInclude: ReadonlyMap<string, NameList>): QueryParams['fieldsByInclude'] =>
  withoutPrototype(Object.fromEntries(Array.from(fieldsByInclude, ([path, names]) => [path, names.finishDistinct()])))
