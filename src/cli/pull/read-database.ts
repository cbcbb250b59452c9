/** Reads the catalogue of a database into plain facts. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { run } from '../../run/index.ts'
import { FACTS_STATEMENT } from './facts-statement.ts'
import { groupsIn } from './view-groups.ts'
import { withOrigins } from './view-origins.ts'
import type { ColumnFacts, DatabaseFacts, RelationFacts, SkippedRelation } from './database-facts.ts'

/** Which tables and views to read. */
export interface TakenTables {
  /** All schemas if empty. */
  readonly schemas: readonly string[]
  /** Patterns with `*`, for `table` or `schema.table`. All tables if empty. */
  readonly take: readonly string[]
}

interface ReadType {
  readonly name: string
  readonly kind: string
  readonly base: number
  readonly declared: string
  readonly notNull: boolean
  readonly element: number
  readonly labels: readonly string[]
  readonly checks: readonly string[]
}

interface ReadColumn {
  readonly number: number
  readonly name: string
  readonly declared: string
  readonly type: number
  readonly nullable: boolean
  readonly readable: boolean
  readonly default: string | null
  readonly counts: boolean
  readonly computed: boolean
  readonly generated: ColumnFacts['generated']
  readonly comment: string | null
}

interface ReadRelation extends Omit<RelationFacts, 'kind' | 'columns' | 'groups' | 'unreadable' | 'unseen'> {
  readonly oid: number
  readonly query: string | null
  readonly kind: string
  readonly partition: boolean
  readonly readable: boolean
  readonly columns: readonly ReadColumn[]
}

interface ReadFacts {
  readonly types: Readonly<Record<string, ReadType>> | null
  readonly relations: readonly ReadRelation[] | null
}

const RELATION_KINDS: Readonly<Record<string, RelationFacts['kind']>> = {
  r: 'table',
  p: 'table',
  v: 'view',
  m: 'materialized view',
  f: 'foreign table',
}

/** Rules of foreign keys (PostgreSQL manual, pg_constraint). */
const FOREIGN_KEY_RULES: Readonly<Record<string, string>> = {
  a: 'no action',
  r: 'restrict',
  c: 'cascade',
  n: 'set null',
  d: 'set default',
}

/** Reads the tables and views of a database that a role can use. The session is in a transaction. */
export async function readDatabase (em: EntityManager, { schemas, take }: TakenTables): Promise<DatabaseFacts> {
  // so that expressions and types have the names of their schemas
  await run(em, { text: "select set_config('search_path', '', true)", values: [], readOnly: true })
  const [row] = await run(em, { text: FACTS_STATEMENT, values: [], readOnly: true })
  const { types, relations } = JSON.parse(row!['facts'] as string) as ReadFacts
  // the table of a view may be in a schema that is not taken
  const byOid = new Map((relations ?? []).map((relation) => [relation.oid, relation]))
  const taken = (relations ?? []).filter((relation) => isTaken(relation, schemas, take))
  const reasons = new Map(taken.map((relation) => [relation, reasonToSkip(relation)]))
  return {
    relations: taken.filter((relation) => reasons.get(relation) === undefined).map((relation) =>
      factsOf(withOrigins(relation, byOid), types ?? {})
    ),
    skipped: taken.flatMap((relation): SkippedRelation[] => {
      const reason = reasons.get(relation)
      return reason === undefined ? [] : [{ schema: relation.schema, name: relation.name, reason }]
    }),
  }
}

/** Whether a table is in one of the schemas, and a pattern takes it: `orders`, `sales.*`, `*_log`. */
function isTaken ({ schema, name }: ReadRelation, schemas: readonly string[], take: readonly string[]): boolean {
  if (schemas.length > 0 && !schemas.includes(schema)) return false
  return take.length === 0 || take.some((pattern) => {
    const expression = new RegExp(`^${pattern.split('*').map(escaped).join('.*')}$`)
    return expression.test(name) || expression.test(`${schema}.${name}`)
  })
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

function reasonToSkip ({ schema, name, partition, readable, columns }: ReadRelation): string | undefined {
  if (partition) return 'the rows of a partition are in the table that it belongs to'
  if (!readable) return 'this role needs GRANT SELECT, and GRANT USAGE on the schema'
  if (columns.length === 0) return 'a table without columns has no records'
  if (schema.includes('.') || name.includes('.')) return 'MikroORM takes what is before a dot for the schema'
  return undefined
}

function factsOf (
  relation: ReturnType<typeof withOrigins<ReadRelation>>,
  types: Readonly<Record<string, ReadType>>
): RelationFacts {
  const {
    schema, name, kind, comment, primaryKey, mirrors, indexes, foreignKeys, checks, accepts, columns, unseen,
  } = relation
  const unreadable = columns.filter(({ readable }) => !readable).map((column) => column.name)
  const isReadable = (column: string | null): boolean => column === null || !unreadable.includes(column)
  const groups = groupsIn(relation.query ?? '').map((place) => columns.find(({ number }) => number === place)!.name)
  return {
    schema,
    name,
    kind: RELATION_KINDS[kind]!,
    comment,
    columns: columns.filter(({ readable }) => readable).map((column) => columnOf(column, types)),
    primaryKey: primaryKey.every(isReadable) ? primaryKey : [],
    groups: groups.every(isReadable) ? groups : [],
    mirrors,
    indexes: indexes.filter((index) => index.columns.every(isReadable)),
    foreignKeys: foreignKeys.filter((key) => key.columns.every(isReadable)).map((key) => ({
      ...key,
      onDelete: FOREIGN_KEY_RULES[key.onDelete]!,
      onUpdate: FOREIGN_KEY_RULES[key.onUpdate]!,
    })),
    checks: checks.filter((check) => check.columns.every(isReadable)),
    accepts,
    unreadable,
    unseen,
  }
}

/** A column, with its domains replaced by the types that they are based on. */
function columnOf (column: ReadColumn, types: Readonly<Record<string, ReadType>>): ColumnFacts {
  const { name, nullable, default: expression, counts, computed, generated, comment } = column
  let { declared } = column
  let type = types[column.type]!
  let domain: string | null = null
  let notNull = false
  const checks: string[] = []
  while (type.kind === 'd') {
    domain ??= type.name
    notNull ||= type.notNull
    checks.push(...type.checks)
    declared = type.declared
    type = types[type.base]!
  }
  const isArray = type.element !== 0
  let element = isArray ? types[type.element]! : type
  while (element.kind === 'd') {
    declared = `${element.declared}[]`
    element = types[element.base]!
  }
  const labels = element.kind === 'e' ? { type: element.name, values: element.labels } : null
  return {
    name,
    type: declared,
    domain,
    labels,
    isArray,
    nullable: nullable && !notNull,
    default: expression,
    counts,
    computed,
    generated,
    comment,
    checks,
  }
}
