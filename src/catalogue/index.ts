/**
 * The catalogue: what the requests of a server may do with a resource, as plain descriptions. In: an `Offer`, which is
 * the resource of all callers or of one role. Out: its description, and the ways to related rows. OpenAPI documents,
 * the document of the explorer and the advice are made of them. The room has no errors.
 */
export { exampleText, type DescribedFilter, type DescribedInput } from './filter-descriptions.ts'
export { bodySchema, offerInBody, type Offer } from './offer.ts'
export {
  describeOffer, eachInclude, isAllowed, type DescribedChildren, type DescribedInclude, type DescribedRelation,
  type DescribedTerm, type Description,
} from './offer-description.ts'
export { DEFAULT_SORT, waysOf, type Way } from './ways.ts'
