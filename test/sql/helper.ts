/** Statements of query strings, and their results. */
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import type { CrudBase, CrudPage, CrudReadOptions } from '../../src/crud/index.ts'
import { planList, resolveWhitelist, type ReadPlan } from '../../src/plan/index.ts'
import type { PlanOptions } from '../../src/plan/plan-rows.ts'
import { parseQueryParams } from '../../src/query/index.ts'
import { compile, formOf, POSTGRESQL, type Foreign, type Statement } from '../../src/sql/index.ts'
import { whitelist, type Names } from '../helpers/resource.ts'
import { models } from '../plan/helper.ts'

export { resource, whitelist, type Names } from '../helpers/resource.ts'

/** No MikroORM-style conditions. */
export const nothingForeign: Foreign = {
  filter: () => undefined, constant: () => undefined, unaccent: () => 'public', conditions: () => [],
  order: () => {
    throw new Error('nothing foreign')
  },
}

/** The statement of a plan on a server that is not distributed. */
export const compiled = (plan: ReadPlan, foreign = nothingForeign): Statement =>
  compile(plan, foreign, formOf(plan, POSTGRESQL))

/** The SQL of a text in which line breaks and indentation help the reader of a test. */
export const oneLine = (text: string): string =>
  text.replace(/\n\s*/g, ' ').replaceAll('( ', '(').replaceAll(' )', ')').trim()

/** The statement of a list. */
export function statementOf (
  query: string,
  names: Names,
  entity: unknown,
  planOptions?: PlanOptions
): Statement {
  return compiled(planList(parseQueryParams(query), resolveWhitelist(whitelist(names), models.of(entity)), planOptions))
}

/** The statement without the limits of an answer, as streams use it. */
export function unlimitedStatementOf (
  query: string,
  names: Names,
  entity: unknown,
  planOptions?: PlanOptions
): Statement {
  const allowed = resolveWhitelist(whitelist(names), models.of(entity))
  return compiled(unlimited(planList(parseQueryParams(query), allowed, planOptions)))
}

/** A plan without the limits of its answer. */
export function unlimited<AnyPlan extends ReadPlan> (plan: AnyPlan): AnyPlan {
  const { limits, ...rest } = plan as AnyPlan & { limits?: unknown }
  return rest as AnyPlan
}

/** The page that a query string asks for. */
export function listOf (
  on: MikroORM | EntityManager,
  crud: CrudBase<any>,
  query = '',
  options?: CrudReadOptions
): Promise<CrudPage> {
  const em = 'em' in on ? on.em.fork() : on
  return crud.list(em as EntityManager, parseQueryParams(query), options)
}

/** One property of every record of the result. */
export async function found (
  on: MikroORM | EntityManager,
  crud: CrudBase<any>,
  query = '',
  property = 'id',
  options?: CrudReadOptions
): Promise<unknown[]> {
  return (await listOf(on, crud, query, options)).items.map((item) => item[property])
}
