/** Packages of MikroORM that do not belong together. */
import { EntityManager } from '@mikro-orm/core'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { checkCore, checkVersions } from '../../src/borrowed/check-borrowed.ts'
import { ConfigError } from '../../src/base/errors.ts'

/** A folder in which packages are installed, as far as their versions tell. */
function installed (t: Test, versions: Readonly<Record<string, string>>): URL {
  // not in the checkout, whose packages would be found, too
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'crud-kit-versions-')))
  t.teardown(() => fs.rmSync(folder, { recursive: true }))
  for (const [name, version] of Object.entries(versions)) {
    const own = path.join(folder, 'node_modules', name)
    fs.mkdirSync(own, { recursive: true })
    fs.writeFileSync(path.join(own, 'package.json'), JSON.stringify({ name, version }))
  }
  return pathToFileURL(path.join(folder, 'app.js'))
}

t.test('packages of MikroORM with different versions are refused, with the command to install one', (t) => {
  const from = installed(t, {
    '@mikro-orm/core': '7.2.1', '@mikro-orm/sql': '7.2.5', '@mikro-orm/postgresql': '7.2.5',
    '@mikro-orm/decorators': '7.2.1',
  })
  t.throws(() => checkVersions(from), {
    constructor: ConfigError,
    message: '@mikro-orm/core 7.2.1 does not fit @mikro-orm/sql 7.2.5, @mikro-orm/postgresql 7.2.5: all packages of ' +
      'MikroORM must have the same version. ' +
      'Run npm install @mikro-orm/core@7.2.1 @mikro-orm/postgresql@7.2.1 @mikro-orm/decorators@7.2.1',
  })
  t.end()
})

t.test('packages with one version are accepted, and so are those that are not installed', (t) => {
  const from = installed(t, { '@mikro-orm/core': '7.2.0', '@mikro-orm/sql': '7.2.0', '@mikro-orm/pglite': '7.2.0' })
  t.doesNotThrow(() => checkVersions(from))
  t.doesNotThrow(() => checkVersions(), 'the packages of this checkout')
  t.end()
})

t.test('a second copy of the core is refused', (t) => {
  // classes of another copy have the same names
  const other = { EntityManager: class EntityManager {} }
  t.throws(() => checkCore(new other.EntityManager()), { constructor: ConfigError, message: /npm ls @mikro-orm\/core/ })
  t.doesNotThrow(() => checkCore(Object.create(EntityManager.prototype) as object))
  t.end()
})
