/** Plans facets: the values of properties beside a list, each with its number of records. */
import { nameSuffix, type QueryParams } from '../query/index.ts'
import { comparedBy, planFilters, type FilterTarget } from './filters/index.ts'
import { aliasFor } from './alias.ts'
import { QueryErrors } from './query-errors.ts'
import type { QueryRules } from './query-rules.ts'
import { cited, refusal } from './refusal.ts'
import type { Condition } from './condition-types.ts'
import type { FacetTerm, PlannedFacet } from './plan-types.ts'
import type { Values } from './values.ts'
import type { Whitelist } from './whitelist/index.ts'

const CODE = 'FST_CRUD_FIELD_INVALID'

/**
 * Plans the facets that a request names. A facet counts as if the conditions on its property were not there, so that it
 * shows what each other value would find. Those inside of `or` and `not` stay.
 *
 * @param conditions the conditions of all filters of the request
 */
export function planFacets (
  params: QueryParams & { readonly facets: readonly string[] },
  conditions: readonly Condition[],
  whitelist: Whitelist,
  values: Values,
  rules: Pick<QueryRules, 'groups'>,
  errors: QueryErrors
): readonly PlannedFacet[] {
  const { facets: allowed } = whitelist
  return params.facets.flatMap((name): PlannedFacet[] => {
    const term = allowed.get(name)
    if (term === undefined) {
      errors.add(
        CODE,
        () =>
          refusal(CODE, `facets${nameSuffix(params.facets, name)}`, `The facet '${cited(name)}' is not allowed.`, {
            given: name,
            meant: aliasFor(name, allowed.values()),
            allowed: allowed.keys(),
          })
      )
      return []
    }
    // the mistakes of filters are known already
    const others = planFilters(params, whitelist, values, new QueryErrors(), {
      ...rules,
      skips: (entry) => isAbout(comparedBy(entry), term),
    })
    if (!others.skipped) return [{ term, without: NONE, instead: NONE }]
    return [{ term, without: conditions, instead: others.conditions }]
  })
}

const NONE: readonly Condition[] = []

/** Whether a filter that compares some properties compares that of a facet or a group, and no other. */
export function isAbout (
  compared: readonly FilterTarget[],
  { relations, operand }: Pick<FacetTerm, 'relations' | 'operand'>
): boolean {
  return compared.length > 0 &&
    compared.every((target) =>
      target.operand === operand && target.relations.length === relations.length &&
      target.relations.every((relation, index) => relation === relations[index])
    )
}
