/** Compiles writes. Each is one statement. */
import type { Statement } from './fragment.ts'
import { compileMany } from './many.ts'
import type { Foreign } from './read.ts'
import { compileUpsert, compileUpsertMany } from './upsert.ts'
import { compileWrite } from './write.ts'
import { compileEach } from './write-each.ts'
import type { WriteForm } from './write-form.ts'
import type { ManyShape, WriteShape } from './write-shape.ts'

/** Compiles the plan of any write. */
export function compileAnyWrite (plan: WriteShape | ManyShape, foreign: Foreign, form: WriteForm): Statement {
  switch (plan.kind) {
    case 'many':
      return compileMany(plan, foreign, form)
    case 'upsert':
      return compileUpsert(plan, foreign, form)
    case 'upsertMany':
      return compileUpsertMany(plan, foreign, form)
    case 'updateEach':
    case 'deleteEach':
      return compileEach(plan, foreign, form)
    default:
      return compileWrite(plan, foreign, form)
  }
}
