/**
 * Builds the page of the explorer from `explorer/` to `dist/explorer`, with the compressed forms of its files, and the
 * license of Preact, which is included in it.
 */
import fs from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const root = path.join(import.meta.dirname, '../..')
const target = path.join(root, 'dist/explorer')
/** Everything that the page is made of: it imports modules of several rooms of `src`. */
const SOURCES = ['explorer', 'src', 'package-lock.json', 'scripts/explorer/build.ts'].map((name) =>
  path.join(root, name))

/** Builds the page if a source is newer than it. Takes about a second. */
export async function buildStaleExplorer (): Promise<void> {
  if (isStale()) await buildExplorer()
}

function isStale (): boolean {
  const built = fs.statSync(path.join(target, 'index.html'), { throwIfNoEntry: false })
  return built === undefined || SOURCES.some((source) => newest(source) > built.mtimeMs)
}

/** The time of the last change to a file, or to a file in a folder. */
function newest (source: string): number {
  const { mtimeMs } = fs.statSync(source)
  const inside = fs.statSync(source).isDirectory() ? fs.readdirSync(source) : []
  return Math.max(mtimeMs, ...inside.map((name) => newest(path.join(source, name))))
}

/** Builds the page. Another process sees the old files or the new ones, and never some of each. */
export async function buildExplorer (): Promise<void> {
  const { build } = await import('vite')
  const outDir = `${target}-${process.pid}`
  const environment = process.env['NODE_ENV']
  try {
    await build({
      configFile: path.join(root, 'explorer/vite.config.ts'),
      logLevel: 'warn',
      build: { outDir, emptyOutDir: true },
    })
    fs.copyFileSync(path.join(root, 'node_modules/preact/LICENSE'), path.join(outDir, 'LICENSE-preact'))
    for (const name of fs.readdirSync(outDir, { recursive: true, encoding: 'utf8' })) {
      if (/\.(css|js|svg)$/.test(name)) compress(path.join(outDir, name))
    }
    fs.rmSync(target, { recursive: true, force: true })
    fs.renameSync(outDir, target)
  } finally {
    fs.rmSync(outDir, { recursive: true, force: true })
    // vite sets it, and servers of this process would be those of production
    if (environment === undefined) delete process.env['NODE_ENV']
  }
}

/** Writes the compressed forms of a file that are smaller than the file. */
function compress (file: string): void {
  const content = fs.readFileSync(file)
  const forms = {
    '.br': brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
    '.gz': gzipSync(content, { level: constants.Z_BEST_COMPRESSION }),
  }
  for (const [suffix, form] of Object.entries(forms)) {
    if (form.length < content.length) fs.writeFileSync(`${file}${suffix}`, form)
  }
}
