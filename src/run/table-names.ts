/** Quoted names of tables, as the model and the answers of a server have them. */

/** SQL for a quoted name. */
export const quotedInSql = (column: string): string => `'"' || replace(${column}, '"', '""') || '"'`

/** SQL for the quoted name of a table. The schema is left out if the search path has it. */
export const NAME_OF_TABLE = `case when pg_table_is_visible(t.oid) then '' else ${
  quotedInSql('n.nspname')
} || '.' end || ${quotedInSql('t.relname')}`

/** The quoted name of a table without its schema. */
export const withoutSchema = (table: string): string => /"(?:[^"]|"")*"$/.exec(table)?.[0] ?? ''
