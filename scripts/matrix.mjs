/**
 * npm run matrix: runs tests with the oldest and the newest versions of the packages that applications install (the
 * peer ranges of package.json), each in a temporary copy of this checkout. The oldest versions must pass. A failure of
 * the newest ones is only a warning: read the messages of test/borrowed, and narrow the range or adapt the code.
 *
 * `--all` runs all tests instead of some. `--only oldest` or `--only newest` runs one of the two.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values: options } = parseArgs({ options: { all: { type: 'boolean' }, only: { type: 'string' } } })
if (options.only !== undefined && !['oldest', 'newest'].includes(options.only)) {
  throw new Error(`--only takes 'oldest' or 'newest', got '${options.only}'`)
}
const TESTS = [
  'test/admin', 'test/borrowed', 'test/http/pagination.test.ts', 'test/http/records.test.ts',
  'test/http/transactions.test.ts', 'test/http/writes',
]
const { peerDependencies, devDependencies } = readPackage(root)

/** The drivers depend on this package, and it has to be in the registry with their version. */
const BELOW_DRIVERS = '@mikro-orm/sql'

/** Packages by the one whose range decides their version. All packages of MikroORM must have the same version. */
const groups = Object.groupBy(
  Object.keys(devDependencies).filter((name) => name in peerDependencies || name.startsWith('@mikro-orm/')),
  (name) => name.startsWith('@mikro-orm/') ? '@mikro-orm/core' : name
)

const problems = []
for (const which of ['oldest', 'newest']) {
  if (options.only !== undefined && options.only !== which) continue
  const versions = Object.fromEntries(
    Object.entries(groups).flatMap(([decides, names]) => {
      const version = versionOf(which, names, peerDependencies[decides])
      return names.map((name) => [name, version])
    })
  )
  const shown = Object.keys(groups).map((name) => `${name} ${versions[name]}`).join(', ')
  if (Object.entries(versions).every(([name, version]) => devDependencies[name] === version)) {
    console.log(`The ${which} versions that fit each other are those of npm test: ${shown}`)
    continue
  }
  console.log(`Tests with the ${which} versions: ${shown}`)
  if (!pass(versions)) problems.push({ which, shown })
}
for (const { which, shown } of problems) {
  console.log(
    which === 'oldest'
      ? `The oldest versions fail: ${shown}. Raise the peer ranges in package.json, or repair what fails.`
      : `Warning: the newest versions fail: ${shown}. Applications that install them may fail, too.`
  )
}
process.exitCode = problems.some(({ which }) => which === 'oldest') ? 1 : 0

/** The oldest version of a range, or the newest one that the registry has of all packages. */
function versionOf (which, names, range) {
  if (which === 'oldest') return /\d+\.\d+\.\d+/.exec(range)[0]
  const set = names.includes('@mikro-orm/core') ? [...names, BELOW_DRIVERS] : names
  const lists = set.map((name) => {
    const found = JSON.parse(npm(['view', `${name}@${range}`, 'version', '--json']))
    return [found].flat()
  })
  const common = lists[0].filter((version) => lists.every((list) => list.includes(version)))
  return common.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1)
}

/** Whether the types and the tests pass in a copy of this checkout with these versions. */
function pass (versions) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'crud-kit-matrix-'))
  try {
    copy(folder)
    const file = readPackage(folder)
    const changed = { ...versions, ...companionsOf(versions) }
    Object.assign(file.devDependencies, changed)
    fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify(file, undefined, 2))
    unlock(folder, Object.keys(changed))
    npm(['install', '--no-audit', '--no-fund', '--loglevel=error'], folder)
    const { status } = spawnSync('npm', ['test', '--', ...options.all ? [] : TESTS], { cwd: folder, stdio: 'inherit' })
    return hostTypesPass(folder) && status === 0
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Whether the data providers fit the types of their hosts. Errors elsewhere are ignored: two copies of Kysely, one of
 * them MikroORM's, have different types.
 */
function hostTypesPass (folder) {
  const { stdout } = spawnSync('npx', ['tsc', '-p', 'tsconfig.build.json', '--noEmit'], {
    cwd: folder,
    encoding: 'utf8',
  })
  const errors = stdout.split('\n').filter((line) => line.startsWith('src/admin/'))
  for (const error of errors) console.log(error)
  return errors.length === 0
}

/** Removes packages and their locked versions, which npm would otherwise keep, and refuse the others as conflicts. */
function unlock (folder, names) {
  for (const name of ['package-lock.json', 'node_modules/.package-lock.json']) {
    const file = path.join(folder, name)
    if (!fs.existsSync(file)) continue
    const lock = JSON.parse(fs.readFileSync(file, 'utf8'))
    for (const name of names) delete lock.packages[`node_modules/${name}`]
    // the file may be a hard link to that of this checkout
    fs.rmSync(file)
    fs.writeFileSync(file, JSON.stringify(lock))
  }
  for (const name of names) fs.rmSync(path.join(folder, 'node_modules', name), { recursive: true, force: true })
}

/** Packages that React's admin frameworks need beside them, with ranges: another version needs another router. */
function companionsOf (versions) {
  const found = {}
  for (const name of ['ra-core', '@refinedev/core']) {
    const version = versions[name]
    if (version === devDependencies[name]) continue
    const peers = JSON.parse(npm(['view', `${name}@${version}`, 'peerDependencies', '--json']))
    for (const [peer, range] of Object.entries(peers)) if (peer.startsWith('react-router')) found[peer] = range
  }
  return found
}

/**
 * Copies the files that git tracks, with uncommitted changes, and the installed packages as hard links, because few
 * differ.
 */
function copy (folder) {
  const names = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
  }).split('\0').filter((name) => name !== '' && fs.existsSync(path.join(root, name)))
  for (const name of names) fs.cpSync(path.join(root, name), path.join(folder, name))
  const modules = path.join(root, 'node_modules')
  // if hard links are not available, npm installs all packages
  if (fs.existsSync(modules)) spawnSync('cp', ['-al', modules, folder], { stdio: 'ignore' })
}

function readPackage (folder) {
  return JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'))
}

function npm (args, cwd = root) {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}
