/** The files of the page, read once. A request names a file that was read, or none, so no path leads elsewhere. */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import Negotiator from 'negotiator'
import { ConfigError } from '../base/errors.ts'

/** A file, with the compressed forms that the build has made of it. */
export interface PageFile {
  readonly type: string
  readonly etag: string
  /** Whether its name contains a hash of its content, so that it never changes. */
  readonly immutable: boolean
  readonly content: Buffer
  readonly encoded: Readonly<Partial<Record<Encoding, Buffer>>>
}

/** The files by their paths with slashes, and the page itself. */
interface PageFiles {
  readonly index: string
  readonly files: ReadonlyMap<string, PageFile>
}

const ENCODINGS = { br: '.br', gzip: '.gz' } as const
type Encoding = keyof typeof ENCODINGS

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

const INDEX = 'index.html'

/** Vite puts a hash of eight characters before the ending. */
const HASHED = /-[\w-]{8}\.\w+$/

/** @throws {ConfigError} if the page has not been built */
export function readBuiltPage (folder: string): PageFiles {
  if (!fs.existsSync(path.join(folder, INDEX))) {
    throw new ConfigError(
      `crudExplorer: the files of the page are missing in ${folder}. The package contains them; in a checkout of its ` +
        "repository, run 'npm run build'."
    )
  }
  const files = new Map<string, PageFile>()
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name)
    const type = TYPES[path.extname(entry.name)]
    if (!entry.isFile() || type === undefined) continue
    const content = fs.readFileSync(file)
    const name = path.relative(folder, file).split(path.sep).join('/')
    const encoded = Object.entries(ENCODINGS).flatMap(([encoding, suffix]) =>
      fs.existsSync(file + suffix) ? [[encoding, fs.readFileSync(file + suffix)]] : []
    )
    files.set(name, {
      type,
      etag: etagOfText(content),
      immutable: HASHED.test(name),
      content,
      encoded: Object.fromEntries(encoded) as PageFile['encoded'],
    })
  }
  return { index: fs.readFileSync(path.join(folder, INDEX), 'utf8'), files }
}

/** The entity tag of a content (RFC 9110, section 8.8.3). */
export function etagOfText (content: Buffer | string): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`
}

/** The form of a file that a client accepts and that is smallest. */
export function encodedFor (
  acceptEncoding: string | undefined,
  { content, encoded }: PageFile
): { readonly encoding?: string, readonly body: Buffer } {
  const known = Object.keys(encoded) as Encoding[]
  if (acceptEncoding === undefined || known.length === 0) return { body: content }
  const headers = { 'accept-encoding': acceptEncoding }
  const accepted = new Set(new Negotiator({ headers }).encodings([...known, 'identity']))
  // browsers accept all forms alike, and the first one is the smallest
  const encoding = known.find((encoding) => accepted.has(encoding))
  return encoding === undefined ? { body: content } : { encoding, body: encoded[encoding]! }
}

/**
 * The page with the address that its relative URLs begin with. The page answers many paths, and a relative address
 * also works behind a proxy that adds or removes a prefix.
 *
 * @param base a relative URL: `./`, `../`, `explorer/`
 */
export function pageAt (base: string, index: string): string {
  const href = base.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  return index.replace(/<head[^>]*>/, (head) => `${head}<base href="${href}">`)
}
