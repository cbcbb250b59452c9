/**
 * npm run reference: writes the pages of docs/api from the types and docstrings of everything that the package exports.
 * `test/reference.test.ts` fails if they are out of date.
 */
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'
import { Entry } from './entry.ts'
import { addressOf, linkedPart, placesOf, type Places } from './links.ts'
import { ENTRIES, PAGES, type ReferencePage } from './pages.ts'

const root = path.resolve(import.meta.dirname, '../..')
export const REFERENCE = path.join(root, 'docs/api')

const INDEX = `# API reference

Every export of the package, with its options and methods. \`npm run reference\` writes these pages from the
docstrings, which your editor shows, too. Long types are shortened.
`

/** An export, with the page that has it. */
interface Export {
  readonly name: string
  readonly page: ReferencePage
  readonly symbol: ts.Symbol
  readonly entry: Entry
}

/** The pages of the reference: their texts by the names of their files. */
export function writtenReference (): Map<string, string> {
  const exports = readExports()
  const pages = PAGES.map((page) => {
    const parts = exports.filter((one) => one.page === page).map(({ entry }) => entry.parts())
    if (parts.length === 0) throw new Error(`The page '${page.name}' of the reference has no exports.`)
    return { page, parts }
  })
  const places = placesOf(pages.map(({ page, parts }) => [page.name, parts.flat()]))
  return new Map([
    ['README.md', index(exports, places)],
    ...pages.map(({ page, parts }) => {
      const texts = parts.flat().map((part) => linkedPart(part, page.name, places))
      return [`${page.name}.md`, `${headOf(page)}\n${texts.join('\n')}`] as const
    }),
  ])
}

/** The exports of all entries by name. One that two entries have is on the page that has its file. */
function readExports (): Export[] {
  const files = ENTRIES.map(([, file]) => path.join(root, file))
  const config = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile).config as object
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files }, ts.sys, root)
  const program = ts.createProgram(files, options)
  const checker = program.getTypeChecker()
  const placed: Export[] = []
  const isPlaced = (name: string) => placed.some((other) => other.name === name)
  const unplaced: ts.Symbol[] = []
  for (const [entry, file] of ENTRIES) {
    const source = program.getSourceFile(path.join(root, file))!
    for (const symbol of checker.getExportsOfModule(checker.getSymbolAtLocation(source)!)) {
      const { name } = symbol
      // the default exports have names, too; `autoload` is a setting for @fastify/autoload
      if (name === 'default' || name === 'autoload') continue
      const declared = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
      const page = pageOf(entry, declared)
      if (page === undefined) unplaced.push(declared)
      else placed.push({ name, page, symbol: declared, entry: new Entry(checker, name, declared, isPlaced) })
    }
  }
  const lost = unplaced.filter((symbol) => !placed.some((other) => other.symbol === symbol))
  if (lost.length > 0) {
    throw new Error(`No page of scripts/reference/pages.ts has ${lost.map((symbol) => symbol.name).join(', ')}.`)
  }
  // what is called before types, as in the import of a program
  const isType = ({ symbol }: Export) => (symbol.flags & ts.SymbolFlags.Value) === 0
  return placed.sort((a, b) => Number(isType(a)) - Number(isType(b)) || (a.name < b.name ? -1 : 1))
}

/** The page of an export: of those of its entry, the one with the longest path that its file begins with. */
function pageOf (entry: string, symbol: ts.Symbol): ReferencePage | undefined {
  const file = path.relative(root, symbol.declarations![0]!.getSourceFile().fileName)
  const fits = PAGES.filter((page) => page.entry === entry).flatMap((page) =>
    page.from.filter((start) => file.startsWith(start)).map((start) => ({ page, length: start.length }))
  )
  return fits.sort((a, b) => b.length - a.length)[0]?.page
}

function headOf ({ title, entry, intro, guides }: ReferencePage): string {
  const links = guides.map((guide) => `[${guideTitle(guide)}](../${guide})`)
  const head = `Exports of \`${entry}\`. ${links.length === 1 ? 'The guide' : 'The guides'}: ${links.join(', ')}.`
  return `${[`# ${title}`, head, ...intro === undefined ? [] : [intro]].join('\n\n')}\n`
}

const guideTitle = (guide: string): string =>
  /^# (.+)$/m.exec(fs.readFileSync(path.join(root, 'docs', guide), 'utf8'))![1]!

/** The page that lists all exports. Its links are those of a page in the same folder. */
function index (exports: readonly Export[], places: Places): string {
  const sections = PAGES.map((page) => {
    const rows = exports.filter((one) => one.page === page).map(({ name, entry }) => {
      const [, anchor] = addressOf(name, page.name, places).split('#')
      return `| [${name}](${page.name}.md#${anchor}) | ${entry.summary().replaceAll('|', '\\|')} |`
    })
    return `## ${page.title}\n\nThe page [${page.title}](${page.name}.md): ${page.about}.\n\n` +
      `| Export of \`${page.entry}\` | |\n|---|---|\n${rows.join('\n')}\n`
  })
  return `${INDEX}\n${sections.join('\n')}`
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  fs.rmSync(REFERENCE, { recursive: true, force: true })
  fs.mkdirSync(REFERENCE)
  for (const [file, text] of writtenReference()) fs.writeFileSync(path.join(REFERENCE, file), text)
}
