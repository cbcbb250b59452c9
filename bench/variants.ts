/** The variants that are compared. */
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Dialect } from './dialects/dialect.ts'
import { nestjsPaginate } from './dialects/nestjs-paginate.ts'
import { own } from './dialects/own.ts'
import { platformatic } from './dialects/platformatic.ts'

export type ServerName =
  | 'hand-written'
  | 'unchecked'
  | 'crud-kit'
  | 'crud-kit-access'
  | 'crud-kit-bounded'
  | 'two-queries'
  | 'mikro-orm'
  | 'platformatic'
  | 'nestjs-paginate'

export type VariantName = Exclude<ServerName, 'crud-kit-bounded'> | 'before'

export interface Variant {
  readonly name: VariantName
  readonly title: string
  readonly dialect: Dialect
  /** Whether its packages are those of bench/peers. */
  readonly peer?: true
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
  { name: 'two-queries', title: 'hand-written, two queries and a schema', dialect: own },
  { name: 'mikro-orm', title: 'MikroORM find + serialize', dialect: own },
  { name: 'platformatic', title: 'Platformatic DB', dialect: platformatic, peer: true },
  { name: 'nestjs-paginate', title: 'nestjs-paginate, TypeORM', dialect: nestjsPaginate, peer: true },
]

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
