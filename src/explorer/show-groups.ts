/** The facets, the groups and the numbers of aggregates in the explorer's document. */
import type { DescribedFilter, Description } from '../catalogue/index.ts'
import { codecOfOperand, isAbout, type FacetTerm, type GroupTerm } from '../plan/index.ts'
import type {
  DividingProperty, FacetDescription, GroupDescription, NumberDescription, ValueDescription,
} from './description.ts'
import { CUSTOM, describeType, referenceOf, type ReferenceTo } from './show-fields.ts'

export function showFacets ({ facets, filters }: Description, referenceTo: ReferenceTo): FacetDescription[] {
  return facets.map((facet) => ({
    name: facet.name,
    ...showProperty(facet, filters, referenceTo),
    limit: facet.limit,
  }))
}

export function showGroups ({ groups, filters }: Description, referenceTo: ReferenceTo): GroupDescription[] {
  return groups.map((group) => ({
    name: group.name,
    key: group.key,
    ...showProperty(group, filters, referenceTo),
    period: periodOf(group),
  }))
}

export function showNumbers ({ numbers }: Description): NumberDescription[] {
  return numbers.map(({ name, key, function: fn, operand, type }) => ({
    name,
    key,
    function: fn,
    property: operand === undefined ? null : name.slice(0, name.lastIndexOf('.')),
    value: operand?.kind === 'scalar' && operand.codec !== undefined ? CUSTOM : describeType(type),
    nullable: fn !== 'count' && fn !== 'countDistinct',
  }))
}

function showProperty (
  term: FacetTerm | GroupTerm,
  filters: readonly DescribedFilter[],
  referenceTo: ReferenceTo
): DividingProperty {
  const { operand, relations } = term
  // a filter would not find what a serializer has made of a value
  const filter = codecOfOperand(operand)?.oneWay === true && periodOf(term) === null
    ? undefined
    : filterAbout(term, filters)
  return {
    value: valueOf(term),
    reference: operand.kind === 'relation' ? referenceOf(operand, referenceTo) : null,
    filter: filter?.name ?? null,
    isnull: relations.length === 0 && filter?.inputs.some(({ operator }) => operator === 'isnull') === true,
  }
}

/** The values of a property. A period has dates, whatever the property has. */
function valueOf (term: FacetTerm | GroupTerm): ValueDescription {
  const { operand, type } = term
  return codecOfOperand(operand) === undefined || periodOf(term) !== null ? describeType(type) : CUSTOM
}

/** The filter that chooses values of a property: if possible, several of them. */
function filterAbout (
  term: FacetTerm | GroupTerm,
  filters: readonly DescribedFilter[]
): DescribedFilter | undefined {
  const about = filters.filter(({ compares, target }) => target !== undefined && isAbout(compares, term))
  const having = (name: string): DescribedFilter | undefined =>
    about.find(({ inputs }) => inputs.some(({ operator }) => operator === name))
  return having('in') ?? having('eq') ?? about[0]
}

function periodOf (term: FacetTerm | GroupTerm): GroupDescription['period'] {
  const period = 'period' in term ? term.period : undefined
  if (period === undefined) return null
  const { unit, timeZone } = period
  return {
    property: term.name.slice(0, -unit.length - 1),
    unit,
    timeZone: term.operand.kind === 'scalar' && term.operand.type.kind === 'date' ? null : timeZone,
  }
}
