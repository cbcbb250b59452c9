/** Schemas and examples of ranges. */
import * as Type from '@sinclair/typebox'
import type { TSchema } from '@sinclair/typebox'
import type { TypeOf } from '../model/index.ts'

/** For each type of ends: the pattern of an end, and two consecutive ranges. */
const ENDS: {
  readonly [Name in TypeOf<'range'>['end']['kind']]: {
    readonly pattern: string,
    readonly examples: readonly [string, string],
  }
} = {
  integer: { pattern: '-?\\d+', examples: ['[1,5)', '[5,10)'] },
  bigint: { pattern: '-?\\d+', examples: ['[1,5)', '[5,10)'] },
  decimal: { pattern: '-?\\d+(\\.\\d+)?', examples: ['[0.5,2)', '[2,4.5)'] },
  date: {
    pattern: '\\d{4,7}-\\d{2}-\\d{2}( BC)?|-?infinity',
    examples: ['[2024-05-01,2024-06-01)', '[2024-06-01,2024-07-01)'],
  },
  datetime: {
    pattern: '\\d{4,6}-\\d{2}-\\d{2}([Tt ][\\d:.]+([Zz]|[+\\-][\\d:]+)?)?( BC)?|-?infinity',
    examples: [
      '["2024-05-31T09:30:00.000Z","2024-05-31T11:00:00.000Z")',
      '["2024-05-31T11:00:00.000Z","2024-05-31T12:30:00.000Z")',
    ],
  },
}

export function rangeInput ({ end }: TypeOf<'range'>): TSchema {
  const { pattern } = ENDS[end.kind]
  const written = `("?(${pattern})"?)?`
  return Type.String({
    pattern: `^(empty|[\\[\\(]${written},${written}[\\]\\)])$`,
    description: 'A range. `[` and `]` include an end, `(` and `)` exclude it. An end that is left out is infinite.',
  })
}

export const rangeExample = ({ end }: TypeOf<'range'>): string => ENDS[end.kind].examples[0]

export const secondRangeExample = ({ end }: TypeOf<'range'>): string => ENDS[end.kind].examples[1]
