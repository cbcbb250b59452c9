/**
 * The catalogue: what the requests of a server may do with a resource, as plain descriptions. In: an `Offer`, which is
 * the resource of all callers or of one role. Out: its description. OpenAPI documents and the document of the explorer
 * are made of it. The room has no errors.
 */
export { exampleText, type DescribedFilter, type DescribedInput } from './filter-descriptions.ts'
export { bodySchema, offerInBody, type Offer } from './offer.ts'
export {
  describeOffer, eachInclude, isAllowed, type DescribedChildren, type DescribedInclude, type DescribedRelation,
  type DescribedTerm, type Description,
} from './offer-description.ts'
