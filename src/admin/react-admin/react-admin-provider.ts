/** The data provider of react-admin: its methods as requests of the client. */
import type { DataProvider, GetListParams, GetListResult } from 'ra-core'
import type { Client } from '../../client/index.ts'
import type { FieldCondition } from '../filter.ts'
import { bodyOf, keyOf, withId } from '../record-key.ts'
import { readMany, readOnePage, type PageQuery } from '../reads.ts'
import { resourcesOf, sortOf, type Bound, type DataProviderOptions } from '../admin-resource.ts'
import type { AnyRecord } from '../../client/url-names.ts'
import { changesOf, deleteAll, matchOf, updateAll, type Match } from '../writes.ts'
import { filterOfReactAdmin } from './react-admin-filters.ts'
import { toFormError } from './form-error.ts'

/** The options of requests that `meta` of react-admin's hooks and components may contain. */
export interface ReactAdminMeta {
  /** Relations to include, and aggregates of them. */
  readonly include?: readonly string[]
  /** react-admin's word for `include`. */
  readonly embed?: readonly string[]
  /** Properties to select. Default: all that are not hidden. */
  readonly fields?: readonly string[]
  /** Properties of included records to select, by the path of the include. */
  readonly fieldsByInclude?: Readonly<Record<string, readonly string[]>>
}

/**
 * Makes the data provider of a react-admin application. A resource's name is its path without the first slash.
 *
 * Methods reject with a `CrudError`. If it is about properties of a record, its `body.errors` has the messages for the
 * inputs of a form. A `TypeError` is a mistake of the application, such as an id that is no key.
 *
 * @example
 * const api = createClient<Api>('https://api.example.com')
 * const dataProvider = createDataProvider(api, { resources: { products: { version: 'version' } } })
 * // <Admin dataProvider={dataProvider}>
 */
export function createReactAdminProvider<Api> (
  api: Client<Api>,
  options: DataProviderOptions<Api> = {}
): DataProvider {
  const bind = resourcesOf(api, options)

  const readList = async (
    name: string,
    params: GetListParams,
    more?: readonly FieldCondition[]
  ): Promise<GetListResult> => {
    const bound = bind(name)
    const { pagination, sort, filter } = params
    const query = {
      ...queryOf(params),
      filter: filterOfReactAdmin(filter, more, bound),
      sort: sortOf(sort ? [sort] : [], bound),
    }
    const { page, perPage } = pagination ?? {}
    const { items, total, total_is_minimum: isMinimum, has_next: hasNextPage, has_prev: hasPreviousPage } =
      page === undefined || perPage === undefined
        ? await bound.resource.list(query)
        : await readOnePage(bound, query, page, perPage)
    const data = items.map((record) => withId(record, bound))
    // with a total that is too small, react-admin would offer no further pages
    return {
      data,
      ...total === null || isMinimum === true ? {} : { total },
      pageInfo: { hasNextPage, hasPreviousPage },
    }
  }

  return {
    supportAbortSignal: true,

    getList: async (name, params) => await readList(name, params),

    getManyReference: async (name, params) =>
      await readList(name, params, [{ field: params.target, operator: 'eq', value: params.id }]),

    async getOne (name, params) {
      const bound = bind(name)
      return { data: withId(await bound.resource.get(keyOf(params.id, bound), queryOf(params)), bound) }
    },

    async getMany (name, params) {
      const bound = bind(name)
      const records = await readMany(bound, params.ids, queryOf(params))
      return { data: records.map((record) => withId(record, bound)) }
    },

    async create (name, { data }) {
      const bound = bind(name)
      return { data: withId(await asForm(bound.resource.create(withoutEmpty(bodyOf(data, bound, true)))), bound) }
    },

    async update (name, { id, data, previousData }) {
      const bound = bind(name)
      const body = bodyOf(changesOf(data, previousData), bound)
      const match = versionIn(previousData, bound)
      return { data: withId(await asForm(bound.resource.update(keyOf(id, bound), body, match)), bound) }
    },

    async updateMany (name, { ids, data }) {
      const bound = bind(name)
      await asForm(updateAll(bound, ids, bodyOf(data, bound)))
      return { data: ids }
    },

    async delete (name, { id, previousData }) {
      const bound = bind(name)
      return { data: withId(await bound.resource.delete(keyOf(id, bound), versionIn(previousData, bound)), bound) }
    },

    async deleteMany (name, { ids }) {
      await deleteAll(bind(name), ids)
      return { data: ids }
    },
  }
}

/** The options of a request that come from `meta`. */
function queryOf ({ meta, signal }: { readonly meta?: ReactAdminMeta, readonly signal?: AbortSignal }): PageQuery {
  const { include, embed = [], fields, fieldsByInclude } = meta ?? {}
  return { include: include ?? embed, fields, fieldsByInclude, signal }
}

/** The version of the record that the user saw. */
function versionIn (previousData: AnyRecord | undefined, { version }: Bound): Match {
  return matchOf(version === undefined ? undefined : previousData?.[version], version, `previousData.${version}`)
}

/** Leaves out inputs that the user left empty, which are null in react-admin, so that the server's defaults apply. */
function withoutEmpty (data: AnyRecord): AnyRecord {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null))
}

/** Waits for a write of a form. */
async function asForm<Result> (write: Promise<Result>): Promise<Result> {
  try {
    return await write
  } catch (error) {
    throw toFormError(error)
  }
}
