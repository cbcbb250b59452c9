/** A database as `pull` sees it: plain facts about tables and views. */
import type { RowChange } from '../../config/index.ts'

/** What `pull` knows of a database. */
export interface DatabaseFacts {
  readonly relations: readonly RelationFacts[]
  readonly skipped: readonly SkippedRelation[]
}

/** A table or view that is left out, with the reason. */
export interface SkippedRelation {
  readonly schema: string
  readonly name: string
  readonly reason: string
}

export interface RelationFacts {
  readonly schema: string
  readonly name: string
  readonly kind: 'table' | 'view' | 'materialized view' | 'foreign table'
  readonly comment: string | null
  /** In the order of the table. */
  readonly columns: readonly ColumnFacts[]
  /** In the order of the constraint. Empty if there is none. */
  readonly primaryKey: readonly string[]
  /** The columns by which a view groups its rows. Empty for tables. */
  readonly groups: readonly string[]
  /** Whether it is a view whose changes PostgreSQL makes in the table that it shows. */
  readonly mirrors: boolean
  readonly indexes: readonly IndexFacts[]
  readonly foreignKeys: readonly ForeignKeyFacts[]
  readonly checks: readonly CheckFacts[]
  /** The kinds of changes that it accepts of this role, with the changed rows returned. */
  readonly accepts: readonly RowChange[]
  /** The columns that the role may not read. */
  readonly unreadable: readonly string[]
  /** The columns of the table of a view that a new row needs, and that the view does not show. */
  readonly unseen: readonly string[]
}

export interface ColumnFacts {
  readonly name: string
  /** As SQL writes it, without the domain: `character varying(20)`, `uuid[]`. */
  readonly type: string
  /** The qualified name of its domain. */
  readonly domain: string | null
  /** The labels of an enum type, and its qualified name. */
  readonly labels: { readonly type: string, readonly values: readonly string[] } | null
  readonly isArray: boolean
  readonly nullable: boolean
  /** An SQL expression. */
  readonly default: string | null
  /** Whether a sequence gives its value. */
  readonly counts: boolean
  readonly generated: { readonly expression: string, readonly stored: boolean } | null
  /** Whether a view computes it, so that it cannot be written. */
  readonly computed: boolean
  readonly comment: string | null
  /** Conditions of its domains. */
  readonly checks: readonly string[]
}

export interface IndexFacts {
  readonly name: string
  readonly method: string
  /** Names of columns, or null for an expression. */
  readonly columns: readonly (string | null)[]
  /** The names of operator classes. */
  readonly classes: readonly string[]
  readonly unique: boolean
  readonly primary: boolean
  /** The constraint whose index it is, if that excludes rows: `EXCLUDE USING gist (...)`. */
  readonly exclusion: string | null
  /** Whether a condition limits its rows. */
  readonly partial: boolean
  readonly definition: string
}

export interface ForeignKeyFacts {
  readonly columns: readonly string[]
  readonly target: { readonly schema: string, readonly name: string }
  readonly targetColumns: readonly string[]
  readonly onDelete: string
  readonly onUpdate: string
}

export interface CheckFacts {
  readonly name: string
  readonly columns: readonly string[]
  readonly expression: string
}

/** `public.order_items`, as messages name it. */
export const relationName = ({ schema, name }: { readonly schema: string, readonly name: string }): string =>
  `${schema}.${name}`

/** Whether at most one row has the same values in some columns. */
export const isUnique = ({ indexes }: RelationFacts, columns: readonly string[]): boolean =>
  indexes.some(({ unique, partial, columns: covered }) =>
    unique && !partial && covered.every((column) => column !== null && columns.includes(column))
  )

/** Whether an index over all rows begins with a column, so that rows are found by it and sorted by it. */
export const leadsIndex = ({ indexes }: RelationFacts, column: string): boolean =>
  indexes.some(({ method, partial, columns: [first] }) => method === 'btree' && !partial && first === column)

/** Whether two lists have the same names, in any order. */
export const sameNames = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((item) => other.includes(item))
