/** Describes the filters of a whitelist. Each kind of filter in `src/plan/filters/` brings its own description. */
import { comparedBy, describeFilter, type Compared, type FilterFacts, type Whitelist } from '../plan/index.ts'
import { joinList } from '../query/index.ts'
import { exampleOf, secondExampleOf } from '../schema/index.ts'

export interface DescribedFilter extends Omit<FilterFacts, 'inputs'> {
  /** Its name in URLs. */
  readonly name: string
  /** The ways to give its value, the default first. */
  readonly inputs: readonly DescribedInput[]
  /** The value that applies if a request does not have the filter. */
  readonly default: string | readonly string[] | undefined
  /** The properties that it compares, each with its operators. */
  readonly compares: readonly Compared[]
}

export interface DescribedInput extends Omit<FilterFacts['inputs'][number], 'example'> {
  /** The parameter that takes the value: `filter[price]`, `filter[price][gte]`. */
  readonly parameter: string
  /** An example: a value, or a list. Absent if only the server knows what it takes. */
  readonly example: unknown
}

/** Describes the filters, in the order of the whitelist. */
export function describeFilters ({ filters, defaults }: Whitelist): DescribedFilter[] {
  const values = new Map(defaults.map(({ entry, param }) => [entry, param.value]))
  return [...filters.values()].map((entry) => {
    const { name } = entry
    const facts = describeFilter(entry)
    return {
      ...facts,
      name,
      inputs: facts.inputs.map((input, index) => ({
        ...input,
        parameter: index === 0 ? `filter[${name}]` : `filter[${name}][${input.operator}]`,
        example: exampleFor(input.example),
      })),
      default: values.get(entry),
      compares: comparedBy(entry),
    }
  })
}

function exampleFor (example: FilterFacts['inputs'][number]['example']): unknown {
  if (example === undefined) return undefined
  const [one, other] = [exampleOf(example.type), secondExampleOf(example.type)].map((value) =>
    typeof value === 'object' ? JSON.stringify(value) : value
  )
  return example.of(one, other)
}

/** An example as it is written in a URL, before percent-encoding. */
export const exampleText = (example: unknown): string =>
  Array.isArray(example) ? joinList(example.map(String)) : String(example)
