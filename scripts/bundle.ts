/**
 * Bundles the package's JavaScript: one file for each entry of package.json, and chunks that they share. Node.js loads
 * a few files much faster than the hundreds of modules in the sources. Parts that are imported on demand stay apart.
 */
import { build, type Plugin } from 'esbuild'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.join(import.meta.dirname, '..')

/** The sources of the entries by their files in the bundle, without extensions. */
function entries (): Record<string, string> {
  const { exports, bin } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | { readonly default: string }>>,
    readonly bin: Readonly<Record<string, string>>,
  }
  const modules = Object.values(exports).flatMap((entry) => typeof entry === 'object' ? [entry.default] : [])
  const names = [...modules, ...Object.values(bin)].map((file) => /^(?:\.\/)?dist\/(.+)\.js$/.exec(file)![1]!)
  return {
    ...Object.fromEntries(names.map((name) => [name, path.join(root, `${name}.ts`)])),
    // the thread of synchronous sessions is started by its file name, beside the chunk of the code that starts it
    'chunks/worker': path.join(root, 'src/database/sync/worker.ts'),
  }
}

/** What processes load after the library's index, or may: other entries, and what is imported on demand. */
const AFTER_INDEX: ReadonlySet<string> = new Set([
  'plugins/explorer.ts', 'src/cli/check/check.ts', 'src/cli/pull/pull.ts', 'src/database/sync/worker.ts',
  'src/http/docs/transform.ts', 'src/http/streams/streaming.ts',
  'node_modules/@sinclair/typebox/build/esm/compiler/index.mjs',
].map((file) => path.join(root, file)))

/**
 * Appends two things to the sources.
 *
 * The names of classes, which messages show. A class that uses its own name inside would be called `_CrudBase`.
 * esbuild's option `keepNames` would cost time in requests, because it also sets the names of inner functions.
 *
 * An import of the index to what follows it. esbuild drops the import, because the index has no side effects, but puts
 * all that the index needs into one chunk. V8 looks for the names in a function, one after the other, among those that
 * its chunk imports and exports. These would be several hundred if the index consisted of more chunks.
 */
const additions: Plugin = {
  name: 'additions',
  setup ({ onLoad }) {
    onLoad({ filter: /[\\/](?:src|plugins|compiler)[\\/].*\.(?:ts|mjs)$/ }, ({ path: file }) => {
      const source = fs.readFileSync(file, 'utf8')
      const names = [...source.matchAll(/^(?:export )?(?:abstract )?class (\w+)/gm)].map(([, name]) => name!)
        .filter((name) => new RegExp(`\\bnew ${name}\\b|\\b${name}\\.`).test(source))
      const named = names.map((name) => `Object.defineProperty(${name}, 'name', { value: '${name}' })\n`)
      const index = AFTER_INDEX.has(file) ? `import ${JSON.stringify(path.join(root, 'src/index.ts'))}\n` : ''
      return { contents: source + named.join('') + index, loader: 'default' }
    })
  },
}

/**
 * Includes TypeBox in the bundle. It consists of more than 200 modules, which would take longer to import than
 * everything else. `@sinclair/typebox/system` stays outside, because the application's validators use its registry.
 * The sources write `import * as Type`, so that the bundle has only the types that they use.
 */
const typebox: Plugin = {
  name: 'typebox',
  setup ({ onResolve }) {
    onResolve({ filter: /^@sinclair\/typebox(?:\/errors|\/compiler)?$/ }, ({ path }) => ({
      path: fileURLToPath(import.meta.resolve(path)),
      sideEffects: false,
    }))
  },
}

/**
 * Writes the bundle to a folder.
 *
 * One build has all entries, so that a class exists once, however it is imported. Names are not shortened. TypeBox is
 * included with its license, and no other package is.
 */
export async function bundle (folder: string): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: entries(),
    outdir: folder,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    plugins: [additions, typebox],
    target: 'es2024',
    sourcemap: true,
    // the package contains the sources
    sourcesContent: false,
    logLevel: 'warning',
    logOverride: { 'ignored-bare-import': 'silent' },
  })
  fs.copyFileSync(path.join(root, 'node_modules/@sinclair/typebox/license'), path.join(folder, 'LICENSE-typebox'))
}
