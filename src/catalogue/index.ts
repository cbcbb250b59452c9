/**
 * The catalogue: what a caller may do with a resource, as plain descriptions. In: a whitelist. Out: its filters with
 * their parameters, and the ways to related rows. OpenAPI documents, the document of the explorer and the advice are
 * made of them. The room has no errors.
 */
export { describeFilters, exampleText, type DescribedFilter, type DescribedInput } from './filters.ts'
export { DEFAULT_SORT, waysOf, type Way } from './ways.ts'
