import fs from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { mutations } from '../model/mutations.ts'

t.test('every mistake of `npm run mutate` can be made in the source as it is', async (t) => {
  for (const { breaks, file, from } of mutations) {
    const text = fs.readFileSync(path.join(import.meta.dirname, '../..', file), 'utf8')
    t.equal(text.split(from).length - 1, 1, `${breaks}: ${file} has the text once`)
  }
})
