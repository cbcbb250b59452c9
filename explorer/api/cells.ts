/** Makes the contents of the cells of a grid: values in one line. */
import type { ExplorerDescription } from '../../src/explorer/description.ts'
import { recordOf, type Column } from './columns.ts'
import { countText, foldedJson, textOf, type Json } from './format.ts'
import { isRow, labelOf, resourceAt, type Row } from './records.ts'

/** The content of a cell, before the width of its column cuts it. */
export interface Content {
  /**
   * - `note`: there is no value, and the text says why
   * - `many`: related records
   * - `one`: a related record, or its key
   * - `count`: a number about related records
   * - `tag`: a value of an enum
   * - `id`: the beginning of a UUID
   * - `code`: JSON, or a boolean
   * - `text`: everything else
   */
  readonly kind: 'note' | 'many' | 'one' | 'count' | 'tag' | 'id' | 'code' | 'text'
  readonly text: string
}

/** The value of a column in a record. */
export const valueAt = (column: Column, row: Row): Json | undefined => recordOf(column, row)?.[column.key]

export function contentOf (column: Column, row: Row, description: ExplorerDescription): Content {
  const value = valueAt(column, row)
  const { field, relation, aggregate } = column
  if (value === undefined) return { kind: 'note', text: 'absent' }
  if (relation?.many && Array.isArray(value)) {
    const text = `${countText(value.length)} ${firstNames(description, relation.reference.resource, value)}`
    return { kind: 'many', text }
  }
  if (value === null) return { kind: 'note', text: 'null' }
  const reference = relation?.reference ?? field?.reference
  if (reference) return { kind: 'one', text: relatedText(description, reference.resource, value) }
  if (aggregate) return { kind: 'count', text: textOf(value) }
  if (value === '') return { kind: 'note', text: 'empty text' }
  if (field?.value.type === 'enum') return { kind: 'tag', text: String(value) }
  if (field?.value.type === 'uuid' && typeof value === 'string') return { kind: 'id', text: shortKey(value) }
  if (typeof value === 'object') return { kind: 'code', text: foldedJson(value) }
  return { kind: typeof value === 'boolean' ? 'code' : 'text', text: textOf(value, field?.value) }
}

/** The names of the first of some related records. */
export function firstNames (description: ExplorerDescription, path: string | null, items: readonly Json[]): string {
  const lookup = resourceAt(description, path)?.lookup
  return items.slice(0, 4).flatMap((item) => isRow(item) ? labelOf(lookup, item) ?? [] : []).join(', ')
}

/** A related record by its name, or by its key if there is only that. */
export function relatedText (description: ExplorerDescription, path: string | null, value: Json): string {
  if (!isRow(value)) return shortKey(value)
  return labelOf(resourceAt(description, path)?.lookup, value) ?? foldedJson(value)
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-/i

function shortKey (value: Json): string {
  const text = textOf(value)
  return UUID.test(text) ? `${text.slice(0, 8)}…` : text
}
