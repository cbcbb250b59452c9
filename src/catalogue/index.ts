/**
 * The catalogue: what a caller may do with a resource, as plain descriptions. In: a whitelist. Out: its filters with
 * their parameters. OpenAPI documents and the document of the explorer are made of them. The room has no errors.
 */
export { describeFilters, exampleText, type DescribedFilter, type DescribedInput } from './filters.ts'
