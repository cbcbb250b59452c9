/** The JSON Schemas of groups with numbers about their rows, and of facets. */
import * as Type from '@sinclair/typebox'
import type { TObject, TSchema } from '@sinclair/typebox'
import {
  codecOfOperand, type FacetTerm, type GroupNumber, type GroupTerm, type Operand, type Whitelist,
} from '../plan/index.ts'
import { nullable, valueSchema } from './value-schemas.ts'

/** Schema of an item of aggregates. A request decides which of the members it has. */
export function groupItemSchema ({ groups, numbers }: Pick<Whitelist, 'groups' | 'numbers'>): TObject {
  const members = [
    ...[...groups.values()].map((term) => [term.key, groupSchema(term)] as const),
    ...[...numbers.values()].map((term) => [term.key, numberSchema(term)] as const),
  ]
  return Type.Object(Object.fromEntries(members.map(([key, schema]) => [key, Type.Optional(schema)])))
}

/** Schema of the facets beside a list. A request decides which of them it has. */
export function facetsSchema ({ facets }: Pick<Whitelist, 'facets'>): TSchema | undefined {
  if (facets.size === 0) return undefined
  return Type.Object(
    Object.fromEntries([...facets.values()].map((term) => [term.name, Type.Optional(facetSchema(term))])),
    { description: 'The values that the parameter `facets` asks for, each with its number of records.' }
  )
}

const facetSchema = (term: FacetTerm): TSchema =>
  Type.Array(Type.Object({ value: groupSchema(term), count: Count }), { maxItems: term.limit })

const Count = Type.Integer({ minimum: 0 })

function groupSchema (term: Pick<GroupTerm, 'relations' | 'operand' | 'type' | 'period'>): TSchema {
  const { relations, operand, type, period } = term
  const schema = period === undefined && hasCodec(operand) ? Type.Unknown() : valueSchema(type)
  const isComputed = operand.kind === 'scalar' && operand.formula !== undefined
  return nullable(schema, relations.length > 0 || operand.nullable || isComputed)
}

function numberSchema ({ function: fn, operand, type }: GroupNumber): TSchema {
  if (fn === 'count' || fn === 'countDistinct') return Count
  return nullable(operand !== undefined && hasCodec(operand) ? Type.Unknown() : valueSchema(type), true)
}

/** Whether a custom type or a serializer decides the JSON. */
const hasCodec = (operand: Operand): boolean =>
  codecOfOperand(operand) !== undefined
