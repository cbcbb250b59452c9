/** Reads of one resource. Each is one statement; only some pages need a second one to say what is around them. */
import type { EntityManager } from '@mikro-orm/postgresql'
import {
  planCount,
  planEstimate,
  planExists,
  planGet,
  planList,
  planOtherSide,
  type GetPlan,
  type Id,
  type KeysetPlan,
  type ListPlan,
  type Plan,
} from '../plan/index.ts'
import type { QueryParams } from '../query/index.ts'
import {
  cursorInfo,
  enterStage,
  isDoubtful,
  pageInfo,
  pageJson,
  plannedTotal,
  readKeyset,
  totalOfPage,
  type QueryOperation,
  type Row,
} from '../run/index.ts'
import {
  contextOf,
  readOn,
  sharedEmOf,
  wait,
  type CompiledRead,
  type CrudSession,
  type ReadOptions,
  type Resource,
  type Work,
} from '../resource/index.ts'
import { convertJson, convertListJson, type AfterRead, type VersionedJson } from './records.ts'

/** What has the resource: it meets its ORM at the first step, so that what is wrong with it comes as the work's error. */
interface Bindable {
  bind(em: EntityManager): Resource
}

export class Reader {
  readonly #crud: Bindable
  readonly #session: CrudSession
  readonly #options: ReadOptions
  readonly #afterRead: AfterRead

  constructor (crud: Bindable, session: CrudSession, options: ReadOptions, afterRead: AfterRead) {
    this.#crud = crud
    this.#session = session
    this.#options = options
    this.#afterRead = afterRead
  }

  /** The JSON of a page. */
  * list (params: QueryParams): Work<string> {
    const resource = this.#bind()
    enterStage('plan')
    const plan = planList(params, resource.whitelist, this.#options)
    if (plan.kind === 'keyset') return yield * this.#listByCursor(resource, plan)
    const { rows: [row], statement } = yield * this.#answer(resource, plan, 'list')
    const json = `[${(row!.items as string | null) ?? ''}]`
    const items = this.#isFinal(statement) ? json : yield * this.#items(json, statement)
    const total = plan.window.count === 'planned' ? yield * this.#plannedTotal(resource, plan, row!) : row!.total
    return pageJson(items, pageInfo(plan.window, { ...row, total }))
  }

  * #listByCursor (resource: Resource, plan: KeysetPlan): Work<string> {
    const { rows, statement } = yield * this.#answer(resource, plan, 'list')
    const page = readKeyset(plan, rows)
    // the row that the cursor was made from has gone, or moved: only a look tells what is on its side of the page
    const look = page.behind === undefined ? planOtherSide(plan) : undefined
    const behind = look === undefined
      ? page.behind === true
      : (yield * this.#rows(resource, look, 'list')).rows.length > 0
    const json = `[${page.items.join()}]`
    return pageJson(
      this.#isFinal(statement) ? json : yield * this.#items(json, statement),
      cursorInfo(plan, page, behind)
    )
  }

  /** PostgreSQL tells an estimate only by a statement of its own, which is not run where the page tells the total. */
  * #plannedTotal (resource: Resource, plan: ListPlan, row: Row): Work<number> {
    const told = totalOfPage(plan.window, row)
    if (told !== undefined) return told
    const { rows: [explained] } = yield * this.#rows(resource, planEstimate(plan), 'list')
    return plannedTotal(plan.window, row, explained!)
  }

  /** A record, or `null`. */
  * get (id: Id, params: QueryParams | undefined): Work<VersionedJson | null> {
    const resource = this.#bind()
    enterStage('plan')
    const plan = planGet(id, params, resource.whitelist, this.#options)
    enterStage()
    if (plan === undefined) return null
    const { rows: [row], statement } = yield * this.#answer(resource, plan, 'get')
    if (row === undefined) return null
    const item = row.item as string
    const json = this.#isFinal(statement)
      ? item
      : yield * convertJson(item, statement.toWire, this.#afterRead, this.#context)
    return { json, version: row.version as string | undefined }
  }

  * count (params: QueryParams): Work<number> {
    const resource = this.#bind()
    enterStage('plan')
    const { rows: [row] } = yield * this.#rows(resource, planCount(params, resource.whitelist, this.#options), 'count')
    return Number(row!.count)
  }

  * exists (id: Id): Work<boolean> {
    const resource = this.#bind()
    enterStage('plan')
    const plan = planExists(id, resource.whitelist, this.#options)
    enterStage()
    if (plan === undefined) return false
    return (yield * this.#rows(resource, plan, 'exists')).rows.length > 0
  }

  #bind (): Resource {
    return this.#crud.bind(sharedEmOf(this.#session))
  }

  /**
   * The rows of an answer that is within its limits. Where they can't be told from those of one that isn't, a statement
   * that weighs its answer has the last word: for few and large answers, so that no other has to.
   */
  * #answer (
    resource: Resource,
    plan: ListPlan | KeysetPlan | GetPlan,
    operation: QueryOperation
  ): Work<{ rows: readonly Row[], statement: CompiledRead }> {
    const answer = yield * this.#rows(resource, plan, operation)
    if (!isDoubtful(plan, answer.rows)) return answer
    const weighed = { ...plan, weighed: true }
    const certain = yield * this.#rows(resource, weighed, operation)
    isDoubtful(weighed, certain.rows)
    return certain
  }

  * #rows (
    resource: Resource,
    plan: Plan,
    operation: QueryOperation
  ): Work<{ rows: readonly Row[], statement: CompiledRead }> {
    enterStage('compile')
    const statement = yield * wait(resource.compile(this.#session, plan, this.#options, operation))
    enterStage()
    return { rows: yield * wait(readOn(this.#session, statement)), statement }
  }

  #items (json: string, { toWire }: CompiledRead): Work<string> {
    return convertListJson(json, toWire, this.#afterRead, this.#context)
  }

  /** Whether records leave as the database has written them. */
  #isFinal ({ toWire }: CompiledRead): boolean {
    return toWire === undefined && this.#afterRead === undefined
  }

  get #context () {
    return contextOf(this.#session, this.#options.context)
  }
}
