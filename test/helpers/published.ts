/** Published schemas, re-created from their structure: SQL that makes their tables and a few rows. */
import fs from 'node:fs'
import path from 'node:path'

const folder = path.join(import.meta.dirname, '../fixtures/published')

/** The SQL of all schemas, for one database. */
export const PUBLISHED: string = fs.readdirSync(folder).sort()
  .map((file) => fs.readFileSync(path.join(folder, file), 'utf8')).join('\n')
