/** Front ends of the example: their builds for browsers, served beside its API. */
import type { FastifyInstance } from 'fastify'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'
import { skipReason as noBrowser } from './browser.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** The build of a front end. */
interface FrontEnd {
  /** The folder with its files. */
  readonly folder: string
  /** The modules in its scripts, from the root of the repository. */
  readonly modules: readonly string[]
}

/** The part of Vite that builds. Each front end has its own Vite, so that there are no types of it here. */
interface Vite {
  build(options: object): Promise<{ readonly output: ReadonlyArray<{ readonly moduleIds?: readonly string[] }> }>
}

const viteOf = (name: string): string => path.join(root, name, 'node_modules/vite/dist/node/index.js')

/** The reason why tests of a front end cannot run here. If every test must run, they run and fail. */
export function skipReason (name: string, env: NodeJS.ProcessEnv = process.env): string | false {
  const isMissing = env['CI'] !== 'true' && !fs.existsSync(viteOf(name))
  return isMissing ? `${name} is not installed: npm ci --prefix ${name}` : noBrowser(env)
}

/** Builds a front end, e.g. `example/web`, into a temporary folder. */
export async function buildFrontEnd (t: Test, name: string): Promise<FrontEnd> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'fastify-crud-kit-front-end-'))
  t.teardown(() => fs.rmSync(folder, { recursive: true, force: true }))
  const { build } = await import(viteOf(name)) as Vite
  const { output } = await build({
    root: path.join(root, name), base: './', logLevel: 'error',
    build: { outDir: folder, emptyOutDir: true, chunkSizeWarningLimit: 10_000 },
  })
  // names with a NUL are those of helpers that Vite adds
  const files = output.flatMap(({ moduleIds = [] }) => moduleIds).filter((file) => !file.includes('\0'))
  return { folder, modules: files.map((file) => path.relative(root, file).split(path.sep).join('/')) }
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8',
}

/** Serves a build below `/app/`. */
export function serve (app: FastifyInstance, { folder }: FrontEnd): void {
  app.get('/app/*', { schema: { hide: true } }, async (request, reply) => {
    const { '*': name } = request.params as { '*': string }
    const file = path.join(folder, name || 'index.html')
    return await reply.type(TYPES[path.extname(file)] ?? 'application/octet-stream').send(fs.readFileSync(file))
  })
}
