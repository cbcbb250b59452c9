/** What is said of a value that is none of those there are. */
import type { TSchema } from '@sinclair/typebox'
import { nearest } from '../suggest.ts'
import { quoted, shown } from './names.ts'

/** `expected one of 'asc', 'desc', got 'dsc'. Did you mean 'desc'?` */
export function notOneOf (value: unknown, members: readonly string[]): string {
  return `expected one of ${quoted(members)}, got ${shown(value)}${suggestionFor(value, members)}`
}

/** `. Did you mean 'desc'?`, where one is near enough to be meant. */
export function suggestionFor (value: unknown, members: readonly string[]): string {
  const suggestion = typeof value === 'string'
    ? nearest(value.toLowerCase(), members) ?? nearest(value, members)
    : undefined
  return suggestion === undefined ? '' : `. Did you mean '${suggestion}'?`
}

/** The texts that a schema is a union of; `undefined` for any other schema. */
export function membersOf (schema: TSchema): readonly string[] | undefined {
  const members = (schema['anyOf'] as readonly { const?: unknown }[] | undefined)?.map((member) => member.const)
  return members?.every((member) => typeof member === 'string') === true ? members : undefined
}
