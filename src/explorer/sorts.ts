/** Describes the sorts of a whitelist, and the order of lists without a sort. */
import type { QueryBuilderConfig } from '../config/index.ts'
import { publicPath, resolvePath, type EntityModel } from '../model/index.ts'
import type { Whitelist } from '../plan/index.ts'
import type { DefaultSort, SortDescription } from './description.ts'

export function describeSorts ({ sorts, model }: Whitelist, { allowedSorts }: QueryBuilderConfig): SortDescription[] {
  // an alias hides the property that the sort orders by
  const aliased = new Map(
    allowedSorts.flatMap((sort) =>
      sort.kind === 'fields' && sort.alias !== undefined ? [[sort.alias, sort.fields] as const] : []
    )
  )
  return [...sorts.values()].map(({ name, descending, targets }) => {
    const [target, ...more] = targets
    const [field] = aliased.get(name) ?? [undefined]
    const plain = target !== undefined && more.length === 0 && 'operand' in target
    return {
      name,
      descending,
      field: plain ? field === undefined ? name : publicPathOf(field, model) : null,
      cursor: targets.every((target) => 'operand' in target),
    }
  })
}

export function describeDefaultSort (
  { defaultSort }: QueryBuilderConfig,
  { model }: Whitelist,
  sorts: readonly SortDescription[]
): DefaultSort[] {
  return defaultSort.map((item) => {
    const sign = /^[+-]/.exec(item)?.[0]
    const name = sign === undefined ? item : item.slice(1)
    const sort = sorts.find((sort) => sort.name === name)
    if (sort === undefined) return { field: publicPathOf(name, model), name: null, descending: sign === '-' }
    return { field: sort.field, name, descending: sign === undefined ? sort.descending : sign === '-' }
  })
}

const publicPathOf = (path: string, model: EntityModel): string => publicPath(resolvePath(model, path, path))
