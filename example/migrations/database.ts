import { Migrator } from '@mikro-orm/migrations'
import { DatabaseFactory } from '../../src/index.ts' // in an application: 'fastify-crud-kit'
import { Customer } from './entity.ts'
import { CreateCustomers } from './migrations/migration-20260105090000-create-customers.ts'
import { CountryOfCustomers } from './migrations/migration-20260212143000-country-of-customers.ts'

/** In the order in which they are applied. A list, not a folder: a bundle has them, and nothing is found by accident. */
const migrationsList = [
  { name: '20260105090000-create-customers', class: CreateCustomers },
  { name: '20260212143000-country-of-customers', class: CountryOfCustomers },
]

/** No `schema` here: migrations make the tables. */
export function migratedDatabase (databaseUrl: string): DatabaseFactory {
  return new DatabaseFactory({
    databaseUrl,
    entities: [Customer],
    ormOptions: { extensions: [Migrator], migrations: { migrationsList, snapshot: false, silent: true } },
  })
}
