/** The plans of all operations. */
import type { ManyPlan } from './many.ts'
import type { ReadPlan } from './plan-types.ts'
import type { UpsertManyPlan, UpsertPlan } from './upsert.ts'
import type { DeletePlan, InsertPlan, UpdatePlan } from './write.ts'
import type { DeleteEachPlan, UpdateEachPlan } from './write-each.ts'

export type Plan = ReadPlan | WritePlan

export type WritePlan =
  | InsertPlan
  | UpdatePlan
  | DeletePlan
  | UpdateEachPlan
  | DeleteEachPlan
  | UpsertPlan
  | UpsertManyPlan
  | ManyPlan
