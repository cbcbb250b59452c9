/**
 * Databases that the files of a process use one after the other: to empty one takes a tenth of the time that a new one
 * takes. A file that runs alone, and one that opens a second database beside its first, gets a new one. A third of the
 * files that share processes took 155 s of processor time without this, and 113 to 122 s with it.
 */
import { keepForAll } from '../../scripts/keep-for-all.ts'

/** How databases of a kind are opened, and made ready for the next file. */
export interface Kind<Database> {
  /** Opens a new one: empty, or a copy of `template`. */
  readonly open: (template: string | undefined) => Promise<Database>
  /** Makes it as it was when it was new. False if it cannot become so. */
  readonly restore: (database: Database, template: string | undefined) => Promise<boolean>
  readonly close: (database: Database) => Promise<void>
}

/** The databases of a kind. At most one of each template is kept. */
export class KeptDatabases<Database> {
  readonly #kind: Kind<Database>
  readonly #kept = new Map<string | undefined, Database>()
  /** Whether other files of this process follow. */
  #keeps: boolean | undefined

  constructor (kind: Kind<Database>) {
    this.#kind = kind
  }

  /** A database that nothing else uses until it is given back. */
  async take (template: string | undefined): Promise<Database> {
    const kept = this.#kept.get(template)
    this.#kept.delete(template)
    return kept ?? await this.#kind.open(template)
  }

  async giveBack (template: string | undefined, database: Database): Promise<void> {
    this.#keeps ??= keepForAll(async () => {
      for (const kept of this.#kept.values()) await this.#kind.close(kept)
    })
    if (this.#keeps && !this.#kept.has(template) && await this.#kind.restore(database, template)) {
      this.#kept.set(template, database)
    } else {
      await this.#kind.close(database)
    }
  }
}

/**
 * SQL that removes all schemas with everything in them, and creates the one that a new database has. Like the removal
 * of a database, it waits for connections that are being closed, and fails if one is left open.
 */
export const EMPTY = `
  do $$ declare name text; begin
    for i in 1..500 loop
      exit when not exists (select from pg_stat_activity where datname = current_database()
        and pid <> pg_backend_pid() and backend_type = 'client backend');
      if i = 500 then raise 'another connection to % is open', current_database(); end if;
      perform pg_sleep(0.01), pg_stat_clear_snapshot();
    end loop;
    for name in select nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema' loop
      execute format('drop schema %I cascade', name);
    end loop;
  end $$;
  create schema public authorization pg_database_owner;
  grant usage on schema public to public`

/** What outlives the schemas: if it is the same as before, the database is as it was when it was new. */
const OUTSIDE: readonly string[] = [
  'array(select row(nspname, nspowner, nspacl)::text from pg_namespace ' +
  "where nspname !~ '^pg_(toast_)?temp' order by 1)",
  'array(select row(datacl, datconnlimit, datallowconn)::text from pg_database where datname = current_database())',
  'array(select s::text from pg_db_role_setting s left join pg_database d on d.oid = setdatabase ' +
  'where setdatabase = 0 or datname = current_database() order by 1)',
  ...[
    'pg_cast', 'pg_class', 'pg_collation', 'pg_default_acl', 'pg_event_trigger', 'pg_extension',
    'pg_foreign_data_wrapper', 'pg_language', 'pg_largeobject_metadata', 'pg_operator', 'pg_proc', 'pg_publication',
    'pg_type',
  ].map((catalog) => `(select count(*) from ${catalog})`),
]

/** A query for a text about what `EMPTY` does not remove, to which `more` expressions belong. */
export const describeOutside = (...more: readonly string[]): string =>
  `select row(${[...OUTSIDE, ...more].join(', ')})::text as outside`
