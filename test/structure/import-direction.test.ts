import fs from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { EXCEPTIONS, findCircles } from './import-circles.ts'
import { findViolations, readImports, STAGES } from './import-rules.ts'

const root = path.join(import.meta.dirname, '../..')

function filesOf (...patterns: readonly string[]): Map<string, string> {
  const names = fs.globSync(patterns, { cwd: root, exclude: ['**/node_modules', '**/dist'] }).sort()
  return new Map(names.map((name) => [name.split(path.sep).join('/'), fs.readFileSync(path.join(root, name), 'utf8')]))
}

t.test('every import goes to an earlier stage', async (t) => {
  const files = filesOf('src/**/*.ts', 'plugins/**/*.ts', 'example/**/*.{ts,tsx}')
  t.ok(files.has('src/base/errors.ts'), 'files are found')
  t.strictSame(findViolations(files), [])
})

t.test('no files import each other in a circle, except for the exceptions', async (t) => {
  // not of the example, whose entities refer to each other, like those of any database
  const files = filesOf('{src,plugins,explorer,bench,scripts}/**/*.{ts,tsx,mjs}')
  t.ok(files.has('explorer/main.tsx') && files.has('bench/run.ts'), 'files are found')
  t.strictSame(findCircles(files, EXCEPTIONS), [])
})

t.test('circles of types are found, and so are unnecessary exceptions', async (t) => {
  const files = new Map([
    ['src/run/a.ts', "import type { B } from './b.ts'"],
    ['src/run/b.ts', "export { c } from './c.ts'"],
    ['src/run/c.ts', "import { a } from './a.ts'\nimport { d } from './d.ts'"],
    ['src/run/d.ts', "import { e } from './e.ts'"],
    ['src/run/e.ts', "import type { D } from './d.ts'"],
  ])
  const exception = (from: string, to: string) => ({ from, to, because: 'a test' })
  t.strictSame(findCircles(files, [exception('src/run/e.ts', 'src/run/d.ts')]), [
    'imports in a circle: src/run/c.ts -> src/run/a.ts -> src/run/b.ts -> src/run/c.ts',
  ])
  t.strictSame(
    findCircles(files, [
      exception('src/run/e.ts', 'src/run/d.ts'),
      exception('src/run/a.ts', 'src/run/b.ts'),
      exception('src/run/c.ts', 'src/run/d.ts'),
      exception('src/run/d.ts', 'src/run/gone.ts'),
    ]),
    [
      'src/run/c.ts -> src/run/d.ts closes no circle any more: remove the exception',
      'src/run/d.ts -> src/run/gone.ts closes no circle any more: remove the exception',
    ]
  )
})

t.test('folders of src are stages', async (t) => {
  const known = STAGES.flat()
  for (const entry of fs.readdirSync(path.join(root, 'src'), { withFileTypes: true })) {
    const name = entry.isDirectory() ? `src/${entry.name}/` : `src/${entry.name}`
    t.ok(known.includes(name), name)
  }
})

t.test('a later stage is refused, and an earlier one and the own folder are allowed', async (t) => {
  const files = new Map([
    [
      'src/query/parse.ts',
      "import type { Plan } from '../plan/plan.ts'\nimport { a } from './limits.ts'\n" +
      "import { ConfigError } from '../base/errors.ts'",
    ],
    ['src/run/run.ts', "import { compile } from '../sql/compile.ts'"],
    ['src/base/errors.ts', "export * from '../index.ts'"],
    ['plugins/routes.ts', "import crudKit from '../src/index.ts'\nimport { timed } from '../src/http/timing.ts'"],
    ['src/http/timing.ts',
      "import { emOf } from '../../plugins/request-em.ts'\nimport { CrudBase } from '../crud/index.ts'"],
    ['src/crud/crud-base.ts', "import { timed } from '../http/timing.ts'"],
  ])
  t.strictSame(findViolations(files), [
    'src/query/parse.ts imports ../plan/plan.ts: src/plan/ is a later stage',
    'src/base/errors.ts imports ../index.ts: src/index.ts is a later stage',
    'plugins/routes.ts imports ../src/index.ts: src/index.ts is a later stage',
    'src/http/timing.ts imports ../../plugins/request-em.ts: plugins/ is a later stage',
    'src/crud/crud-base.ts imports ../http/timing.ts: src/http/ is a later stage',
  ])
})

t.test('a file outside the stages is refused', async (t) => {
  t.strictSame(
    findViolations(
      new Map([
        ['src/misc/util.ts', "import { nearest } from '../base/suggest.ts'"],
        ['src/crud/crud-base.ts', "import { x } from '../misc/util.ts'\nimport { y } from '../../test/helpers/y.ts'"],
      ])
    ),
    [
      'src/misc/util.ts imports ../base/suggest.ts: src/misc/util.ts belongs to no stage',
      'src/crud/crud-base.ts imports ../misc/util.ts: src/misc/util.ts belongs to no stage',
      'src/crud/crud-base.ts imports ../../test/helpers/y.ts: test/helpers/y.ts belongs to no stage',
    ]
  )
})

t.test('the parser imports no packages, and the planner neither MikroORM at run time nor a driver', async (t) => {
  t.strictSame(
    findViolations(
      new Map([
        ['src/query/parse.ts', "import fs from 'node:fs'"],
        [
          'src/plan/a.ts',
          "import type { FilterQuery } from '@mikro-orm/core'\n" +
          "import { Utils } from '@mikro-orm/core'\nimport { type Dictionary } from '@mikro-orm/core'",
        ],
        ['src/plan/b.ts', "import type { Pool } from 'pg'"],
        ['src/sql/c.ts', "import { raw } from '@mikro-orm/core'\nimport { MikroORM } from '@mikro-orm/postgresql'"],
        [
          'src/crud/d.ts',
          "import type { FastifyRequest } from 'fastify'\nimport fp from 'fastify-plugin'\n" +
          "import createError from '@fastify/error'",
        ],
      ])
    ),
    [
      'src/query/parse.ts imports node:fs: src/query knows nothing but text',
      'src/plan/a.ts imports @mikro-orm/core: src/plan is pure',
      'src/plan/a.ts imports @mikro-orm/core: src/plan is pure',
      'src/plan/b.ts imports pg: src/plan has no connection',
      'src/sql/c.ts imports @mikro-orm/postgresql: src/sql has no connection',
      'src/crud/d.ts imports fastify-plugin: Fastify runs in plugins',
    ]
  )
})

t.test('the client shares only types with the server', async (t) => {
  t.strictSame(
    findViolations(
      new Map([
        [
          'src/client/a.ts',
          "import type { A } from '../crud/index.ts'\nimport { b } from '../query/index.ts'\n" +
          "import { c } from './c.ts'\nimport type { D } from '@mikro-orm/core'\nimport 'node:fs'",
        ],
        ['src/index.ts',
          "export type { ApiOf } from './client/index.ts'\nexport { createClient } from './client/index.ts'"],
        [
          'src/admin/refine/a.ts',
          "import { b } from '../../client/b.ts'\nimport type { D } from '@refinedev/core'\n" +
          "import { e } from '@refinedev/core'\nimport { f } from '../../query/f.ts'",
        ],
        ['plugins/x.ts', "import type { Client } from '../src/client/index.ts'"],
      ])
    ),
    [
      'src/client/a.ts imports ../query/index.ts: code for browsers shares types with the server, and no code',
      'src/client/a.ts imports node:fs: the client has no dependency',
      'src/index.ts imports ./client/index.ts: code for browsers shares types with the server, and no code',
      'src/admin/refine/a.ts imports @refinedev/core: data providers have no dependency',
      'src/admin/refine/a.ts imports ../../query/f.ts: code for browsers shares types with the server, and no code',
      'plugins/x.ts imports ../src/client/index.ts: src/client/ is a later stage',
    ]
  )
})

t.test('the example imports only what the package exports', async (t) => {
  t.strictSame(
    findViolations(
      new Map([
        [
          'example/app.ts',
          "import { CrudBase } from '../src/index.ts'\nimport { Tag } from './entities/tag.ts'\n" +
          "import { plan } from '../src/plan/plan.ts'",
        ],
      ])
    ),
    ['example/app.ts imports ../src/plan/plan.ts: the example uses only what the package exports']
  )
})

t.test('every form of import is found', async (t) => {
  t.strictSame(
    readImports(`
    import './side-effect.ts'
    import type { A } from './type.ts'
    import { type B } from './inline-type.ts'
    export { C } from './re-export.ts'
    export type { D } from './re-export-type.ts'
    type E = import('./import-type.ts').E
    const f = await import('./dynamic.ts')
    // import './comment.ts'
    const g = "import './text.ts'"
  `),
    [
      { specifier: './side-effect.ts', typeOnly: false },
      { specifier: './type.ts', typeOnly: true },
      { specifier: './inline-type.ts', typeOnly: false },
      { specifier: './re-export.ts', typeOnly: false },
      { specifier: './re-export-type.ts', typeOnly: true },
      { specifier: './import-type.ts', typeOnly: true },
      { specifier: './dynamic.ts', typeOnly: false },
    ]
  )
})
