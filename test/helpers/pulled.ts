/** Databases that `pull` reads, and the files that it writes. */
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { DatabaseFactory, IdempotencyRecord } from '../../src/index.ts'

const index = pathToFileURL(path.resolve(import.meta.dirname, '../../src/index.ts')).href

/** Imports a generated list, with the sources in place of the package. */
export async function loadPulled (folder: string, list: 'entities' | 'resources'): Promise<any> {
  for (const file of fs.globSync('**/*.ts', { cwd: folder })) {
    const at = path.join(folder, file)
    fs.writeFileSync(at, fs.readFileSync(at, 'utf8').replace("'fastify-crud-kit'", `'${index}'`))
  }
  return (await import(pathToFileURL(path.join(folder, `${list}/index.ts`)).href) as any)[list]
}

/** Makes the tables at a URL. */
export async function fillDatabase (databaseUrl: string, sql: string): Promise<void> {
  const factory = new DatabaseFactory({ databaseUrl, entities: [IdempotencyRecord] })
  try {
    await (await factory.getEngine()).em.getConnection().executeDump(sql)
  } finally {
    await factory.close()
  }
}
