/** The page `docs/start/getting-started.md`, which the package contains and which the tests follow step by step. */
import fs from 'node:fs'
import path from 'node:path'

/** A `package.json` of this package. */
interface OwnManifest {
  readonly name: string
  readonly version: string
  readonly devDependencies: Readonly<Record<string, string>>
}

/** What projects take from the page. */
export interface StartPage {
  /** The text of a file, such as `app.ts`, or of `Dockerfile`. */
  readonly file: (name: string) => string
  /** The names of its files, without the Dockerfile. */
  readonly names: readonly string[]
  /** The packages that its commands install: their names, and the versions that they ask for. */
  readonly packages: ReadonlyArray<{
    readonly name: string,
    readonly wanted: string | undefined,
    readonly isDev: boolean,
  }>
  readonly manifest: OwnManifest
}

/** The folder of this package, from a source or from a bundle of it. */
function packageFolder (): string {
  let folder = import.meta.dirname
  while (!isPackage(folder)) folder = path.dirname(folder)
  return folder
}

function isPackage (folder: string): boolean {
  const file = path.join(folder, 'package.json')
  return fs.existsSync(file) && manifestIn(file).name === 'fastify-crud-kit'
}

const manifestIn = (file: string): OwnManifest => JSON.parse(fs.readFileSync(file, 'utf8')) as OwnManifest

export function readStartPage (): StartPage {
  const root = packageFolder()
  const page = fs.readFileSync(path.join(root, 'docs/start/getting-started.md'), 'utf8')
  const blocks = [...page.matchAll(/^```(\S+)(?: (\S+))?\n([^]*?)^```$/gm)]
    .map(([, kind, file, text]) => [kind === 'dockerfile' ? 'Dockerfile' : file ?? kind!, text!] as const)
  const files = new Map(blocks.filter(([name]) => name === 'Dockerfile' || /\.(?:ts|json)$/.test(name)))
  const [, commands] = blocks.find(([name]) => name === 'sh')!
  return {
    file: (name) => files.get(name)!,
    names: [...files.keys()].filter((name) => name !== 'Dockerfile'),
    packages: commands.split('\n').filter((line) => line.startsWith('npm install')).flatMap((line) =>
      line.split(' ').slice(2).filter((word) => !word.startsWith('--')).map((word) => {
        const [, name, wanted] = /^(@?[^@]+)(?:@(.+))?$/.exec(word)!
        return { name: name!, wanted, isDev: line.includes('--save-dev') }
      })
    ),
    manifest: manifestIn(path.join(root, 'package.json')),
  }
}

/**
 * A text of the page with parts replaced.
 *
 * @throws {Error} if the page does not have one of the parts
 */
export function withParts (text: string, parts: ReadonlyArray<readonly [part: string, replacement: string]>): string {
  return parts.reduce((text, [part, replacement]) => {
    if (!text.includes(part)) throw new Error(`The page about getting started has no '${part}'.`)
    return text.replace(part, () => replacement)
  }, text)
}
