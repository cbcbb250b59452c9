/** How large the answers with a selection can be, as far as its whitelist tells. */
import { madeOnce } from '../base/made-once.ts'
import type { Property, ScalarProperty } from '../model/index.ts'
import type { AnswerLimits, PlannedInclude, Selection } from '../plan/index.ts'
import { isLong } from './wire-types.ts'

/** The properties of a selection that tell in advance how large its answers can be. */
interface Forecast {
  /** Whether only a measured statement keeps within the limits. */
  readonly mustMeasure: boolean
  /** Whether there can be more included records than an answer may have. */
  readonly countable: boolean
  /** Whether included records can make an answer too large. */
  readonly unbounded: boolean
  /** The most bytes of a long value of the resource's own rows in a trusted statement, if they have any. */
  readonly longest: number | undefined
  /** An answer with fewer bytes cannot have too many included records. */
  readonly doubtfulBytes: number
}

const forecasts = madeOnce((selection: Selection) =>
  madeOnce((limits: AnswerLimits) => makeForecast(selection, limits))
)

/** The forecast for a selection, computed once. */
export const forecastOf = (selection: Selection, limits: AnswerLimits): Forecast => forecasts(selection)(limits)

function makeForecast (selection: Selection, limits: AnswerLimits): Forecast {
  const { maxIncluded, maxBytes, maxRows } = limits
  const countable = maxRows * mostRecords(selection) > maxIncluded
  const own = longProperties(selection)
  const long = selection.includes.some((include) => hasLong(include.selection))
  return {
    mustMeasure: long || (countable && selection.includes.some(hasManyBehind)),
    countable,
    unbounded: long || countable,
    longest: own.length === 0 ? undefined : Math.floor(maxBytes / (maxRows * own.length)),
    doubtfulBytes: countable ? (maxIncluded + 1) * fewestBytes(selection) : Infinity,
  }
}

/** The greatest number of records that one record of a selection can include. */
function mostRecords ({ includes }: Selection): number {
  return includes.reduce(
    (sum, { relation, rules, selection }) =>
      sum + (relation.many ? rules?.limit ?? Infinity : 1) * (1 + mostRecords(selection)),
    0
  )
}

export const hasLong = (selection: Selection): boolean =>
  longProperties(selection).length > 0 || selection.includes.some((include) => hasLong(include.selection))

const hasManyBehind = ({ selection }: PlannedInclude): boolean =>
  selection.includes.some((include) => include.relation.many || hasManyBehind(include))

/** Bytes of the shortest record that can be included. */
function fewestBytes ({ includes }: Selection): number {
  return Math.min(...includes.flatMap(({ selection }) => {
    const own = selection.properties.reduce(
      (sum, { publicName }) => sum + publicName.length + '"":1,'.length,
      '{}'.length - 1
    )
    return [Math.max('{}'.length, own), ...selection.includes.length === 0 ? [] : [fewestBytes(selection)]]
  }))
}

/** Properties of a selection's own records whose values can be long. */
export function longProperties ({ properties }: Pick<Selection, 'properties'>): readonly ScalarProperty[] {
  return properties.flatMap(longIn)
}

function longIn (property: Property): readonly ScalarProperty[] {
  if (property.kind === 'scalar') return isLong(property.type) ? [property] : []
  return property.kind === 'embedded'
    ? [...property.properties.values()].filter(({ hidden }) => !hidden).flatMap(longIn)
    : []
}
