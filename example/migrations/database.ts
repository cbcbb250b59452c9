import { Migrator } from '@mikro-orm/migrations'
import { DatabaseFactory } from '../../src/index.ts' // in an application: 'fastify-crud-kit'
import { Customer } from './entity.ts'
import { CreateCustomers } from './migrations/migration-20260105090000-create-customers.ts'
import { CountryOfCustomers } from './migrations/migration-20260212143000-country-of-customers.ts'

/** The migrations in order. A list works in a bundle, and unlike a folder, cannot pick up other files by accident. */
const migrationsList = [
  { name: '20260105090000-create-customers', class: CreateCustomers },
  { name: '20260212143000-country-of-customers', class: CountryOfCustomers },
]

/** `schema` is not set, because migrations create the tables. */
export function migratedDatabase (databaseUrl: string): DatabaseFactory {
  return new DatabaseFactory({
    databaseUrl,
    entities: [Customer],
    ormOptions: { extensions: [Migrator], migrations: { migrationsList, snapshot: false, silent: true } },
  })
}
