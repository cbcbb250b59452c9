/** The variants that are compared. */
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Dialect } from './dialects/dialect.ts'
import { nestjsPaginate } from './dialects/nestjs-paginate.ts'
import { own } from './dialects/own.ts'
import { platformatic } from './dialects/platformatic.ts'

/** Variants whose answers and costs are compared. */
export type VariantName =
  | 'hand-written'
  | 'hand-written-any'
  | 'unchecked'
  | 'crud-kit'
  | 'crud-kit-access'
  | 'before'
  | 'two-queries'
  | 'mikro-orm'
  | 'platformatic'
  | 'nestjs-paginate'

/** The servers of this checkout. */
export type ServerName =
  | Exclude<VariantName, 'before'>
  | 'crud-kit-bounded'
  | 'bulk-crud-kit'
  | 'bulk-hand-written'

export interface Variant {
  readonly name: VariantName
  readonly title: string
  readonly dialect: Dialect
  /** Whether its packages are those of bench/peers. */
  readonly peer?: true
  /** Whether it takes part in every second round only: its requests take long, and it has no goals. */
  readonly rarely?: true
  /** The module that its process runs, if it is not this checkout's, and the server to start there. */
  readonly elsewhere?: { readonly module: URL, readonly server: ServerName }
}

/** The variant that the ratios refer to: what an expert would ship. */
export const BASE: VariantName = 'hand-written'

export const variants: readonly Variant[] = [
  { name: 'hand-written', title: 'hand-written, one statement', dialect: own },
  { name: 'unchecked', title: 'the same, nothing checked', dialect: own },
  { name: 'crud-kit', title: 'fastify-crud-kit', dialect: own },
  { name: 'crud-kit-access', title: 'fastify-crud-kit with access by role', dialect: own },
  { name: 'two-queries', title: 'hand-written, two queries and a schema', dialect: own, rarely: true },
  { name: 'mikro-orm', title: 'MikroORM find + serialize', dialect: own, rarely: true },
  { name: 'platformatic', title: 'Platformatic DB', dialect: platformatic, peer: true, rarely: true },
  { name: 'nestjs-paginate', title: 'nestjs-paginate, TypeORM', dialect: nestjsPaginate, peer: true, rarely: true },
]

/** The reference for filters that keep any number of rows. */
export const ANY_AMOUNT: Variant = {
  name: 'hand-written-any',
  title: 'hand-written, one statement for any number of rows',
  dialect: own,
}

/**
 * A variant with the generated routes of another checkout of this project, to compare a change with. Its packages must
 * be installed.
 */
export function before (folder: string, title = 'fastify-crud-kit, before'): Variant {
  const module = pathToFileURL(path.join(folder, 'bench/server.ts'))
  if (!fs.existsSync(module)) throw new Error(`${folder} is no checkout of this project: it has no bench/server.ts`)
  return { name: 'before', title, dialect: own, elsewhere: { module, server: 'crud-kit' } }
}

/** Whether the packages of bench/peers are installed in the versions of its lock file. */
export function peersInstalled (): boolean {
  const changed = (file: string) =>
    fs.statSync(new URL(`peers/${file}`, import.meta.url), { throwIfNoEntry: false })?.mtimeMs ?? 0
  return changed('node_modules/.package-lock.json') >= changed('package-lock.json')
}
