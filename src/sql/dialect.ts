/**
 * The table of what differs between PostgreSQL and a distributed server, and why. `dialectOf`
 * (`src/run/distribution.ts`) tells which one a server has. Statements and the steps of writes ask it what differs on a
 * distributed server. Only `mayReorder` (`src/run/distribution.ts`) also asks how a table is distributed.
 *
 * The table has no entry for what is written in the same way everywhere because Citus accepts only that: conditions on
 * related rows and numbers without a correlated subquery (`condition.ts`, `number-conditions.ts`), `offset 0` behind
 * sorted and named rows (`read.ts`, `stream-statements.ts`), objects of `jsonb_set` in updates (`assignments.ts`), and
 * the values of the tenant at each table that must have them (`known-columns.ts`).
 *
 * Errors and plans of such a server look different, which these files read: `src/run/errors/driver-errors.ts` (lost
 * nodes), `src/run/rules.ts` (names of shards), `src/answer/page.ts` (estimates).
 *
 * At start-up, `checkDistributed` (`src/write/distributed.ts`) refuses tables that such a server cannot write, and
 * `checkCoLocation` (`src/resource/co-location.ts`) joins that it cannot run.
 */
import type { EntityModel, ValueType } from '../model/index.ts'
import type { Slot } from '../plan/index.ts'
import { sql, trusted, type Sql } from './fragment.ts'
import { column, versionText } from './json.ts'
import { knownSql, type KnownColumns } from './known-columns.ts'
import { sqlTypeOf } from './wire-types.ts'

/** Decisions about statements and about the steps of writes. */
export interface Dialect extends ReadDialect, StatementDialect, StepDialect {}

/** Which forms of reads the server runs (`form.ts`). */
interface ReadDialect {
  /** Whether the rows of a list may be gathered for its page and its total. */
  readonly gathersRows: boolean
  /** Whether the rows of a page may be looked up by their keys. */
  readonly looksUpRows: boolean
  /** Whether related records may be found for each parent, by a subquery or a lateral join. */
  readonly readsEachParent: boolean
  /** Whether numbers about related rows may be computed for those rows only that other conditions keep. */
  readonly narrowsNumbers: boolean
  /** How JSON objects are written. */
  readonly objects: 'row' | 'built'
  /** Whether statements that need a plan for the values of each run are kept by name (`custom-plan.ts`). */
  readonly keepsPlannedForValues: boolean
}

/** How the statements of writes are written. */
interface StatementDialect {
  /**
   * What the rows of `returning` are: the records of the answer, or columns of which another expression makes the
   * records (`write-results.ts`).
   */
  readonly returns: 'records' | 'columns'
  /** A condition on the row of a write with this key, unless it is on the key itself. */
  readonly conditionOfWrite: (condition: Sql, key: Sql) => Sql
  /** The known columns that a search for rows of a write compares, beside its other conditions. */
  readonly knownOfWrite: (alias: string, known: KnownColumns) => Sql[]
  /** Whether rows that were found are named by a list of their keys. Otherwise they are joined. */
  readonly listsKeys: boolean
  /** The test that the row has one of the versions. */
  readonly hasVersion: (model: EntityModel, alias: string, versions: Slot) => Sql
  /** The version after this one. */
  readonly nextVersion: (type: ValueType, version: Sql) => Sql
  /** Whether one statement locks the rows of a change of many. Otherwise they are locked one by one. */
  readonly locksMany: boolean
}

/** Which ways the steps of a write take. */
interface StepDialect {
  /** Whether the statement of a change of many checks the records that its rows would refer to. */
  readonly checksReferencesOfMany: boolean
  /** Whether a statement checks that the rows which it writes lie in the scope, and fails if they do not. */
  readonly checksWrittenRows: boolean
  /** Whether one statement changes or removes several rows, each in its own way. */
  readonly writesEach: boolean
  /** Whether one statement upserts rows. Otherwise they are looked for first. */
  readonly upserts: boolean
  /** Whether an insert returns its rows in their order. */
  readonly returnsInOrder: boolean
}

/** PostgreSQL, and servers that speak its protocol and show all tables as if they were on one node. */
export const POSTGRESQL: Dialect = {
  gathersRows: true,
  looksUpRows: true,
  readsEachParent: true,
  narrowsNumbers: true,
  objects: 'row',
  keepsPlannedForValues: true,
  returns: 'records',
  conditionOfWrite: (condition) => condition,
  knownOfWrite: () => [],
  // the planner joins nothing then: to delete 100 rows takes 0.77 of the time
  listsKeys: true,
  hasVersion: (model, alias, versions) => sql`${versionText(model, alias)} = any(${versions})`,
  nextVersion: (type, version) => sqlTypeOf(type).nextVersion(version),
  locksMany: true,
  checksReferencesOfMany: true,
  checksWrittenRows: true,
  writesEach: true,
  upserts: true,
  returnsInOrder: true,
}

/** PostgreSQL with the extension `citus`. The errors in quotes are those of Citus 12.1. */
export const CITUS: Dialect = {
  // it would send all gathered rows to one node
  gathersRows: false,
  // it would find the keys by a plan before that of the page, and send them to the nodes
  looksUpRows: false,
  // 'cannot perform a lateral outer join when a distributed subquery references complex subqueries, CTEs or local
  // tables', unless a condition on the tenant leads to one node
  readsEachParent: false,
  // the rows that other conditions keep may be on other nodes than their related rows
  narrowsNumbers: false,
  // it does not keep the names of a row's columns
  objects: 'built',
  // it makes a plan for each run, and may not accept the text that asks for it
  keepsPlannedForValues: false,
  // 'non-IMMUTABLE functions are not allowed in the RETURNING clause', and functions that write JSON are not immutable
  returns: 'columns',
  // 'could not find valid entry for shard 0', if it sees that no row fulfils the conditions: they are always false, or
  // those of a scope name another tenant than the key. 'Distributed queries with outer joins and pseudoconstant quals
  // are not supported', if one of them reads no column: conditions through relations have outer joins. So each must be
  // greater than a test of the key that is always false, and no row passes that the condition refuses. A `case` that
  // tests the key is refused: 'non-IMMUTABLE functions are not allowed in CASE or COALESCE statements'
  conditionOfWrite: (condition, key) => sql`(${condition}) > (${key} is null)`,
  // otherwise it looks for the rows in all shards, and not in that of the tenant
  knownOfWrite: (alias, known) => knownSql(alias, known),
  // joins of co-located tables run on the nodes of their rows. A list of keys was not tried
  listsKeys: false,
  // 'non-IMMUTABLE functions are not allowed in CASE or COALESCE statements', which the text of a moment needs
  hasVersion: (model, alias, versions) => {
    const { version } = model
    // a hidden version is null in `versionText`, and matches nothing
    if (version?.type.kind !== 'datetime' || version.hidden) return POSTGRESQL.hasVersion(model, alias, versions)
    const moment = version.type.zoned ? sql`(${column(version, alias)} at time zone 'UTC')` : column(version, alias)
    return sql`${moment} = any(${versions}::timestamp[])`
  },
  // 'functions used in UPDATE queries on distributed tables must not be VOLATILE', as clock_timestamp() is
  nextVersion: (type, version) =>
    type.kind === 'datetime' ? trusted('now()') : POSTGRESQL.nextVersion(type, version),
  // 'could not run distributed query with FOR UPDATE/SHARE commands', unless the rows are on one node
  locksMany: false,
  // 'complex joins are only supported when all distributed tables are co-located and joined on their distribution
  // columns', also for a subquery that looks for one record
  checksReferencesOfMany: false,
  // the check is a function in returning: see `returns`
  checksWrittenRows: false,
  // these statements return records: see `returns`
  writesEach: false,
  upserts: false,
  // the rows of a table that is distributed by a column may be on several nodes
  returnsInOrder: false,
}
