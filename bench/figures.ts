/**
 * The figures of the documentation that come from saved results. Saving results updates them, and a test compares them:
 *
 * - the first table below a heading that `TABLES` names is written again as a whole;
 * - a sentence of `SENTENCES` has its figures where the text has `{}`.
 */
import fs from 'node:fs'
import path from 'node:path'
import { table } from './statistics.ts'

const root = path.resolve(import.meta.dirname, '..')

/** The cells of a row, by the titles of their columns. */
type Row = Readonly<Record<string, string>>

/**
 * Reads a table of a saved page.
 *
 * @param heading of the part that has it; its first table is read. Without one, the first table of the page
 * @param head a column that the table has
 * @throws Error if there is no such table
 */
export function savedTable (text: string, { heading, head }: { heading?: string, head?: string }): readonly Row[] {
  const from = heading === undefined ? 0 : text.indexOf(`\n${heading}\n`)
  if (from === -1) throw new Error(`the saved page has no part '${heading}'`)
  for (const [written] of text.slice(from).matchAll(/(?:^\|.*\|\n)+/gm)) {
    const [titles = [], , ...rows] = written.trim().split('\n').map((row) =>
      row.slice(1, -1).split('|').map((cell) => cell.trim())
    )
    if (head !== undefined && !titles.includes(head)) continue
    return rows.map((cells) => Object.fromEntries(titles.map((title, column) => [title, cells[column] ?? ''])))
  }
  throw new Error(`the saved page has no table with a column '${head}'`)
}

const saved = (page: string): string => fs.readFileSync(path.join(root, 'bench', page), 'utf8')

/** The figure at the beginning of a cell, e.g. 1.25 in `1.25x (1.10 to 1.31)`. Empty if it has none. */
const figureIn = (cell: string | undefined): string => /^[\d.]+/.exec(cell ?? '')?.[0] ?? ''

/**
 * The first row that has a text in a column.
 *
 * @throws Error if there is no such row
 */
function rowOf (rows: readonly Row[], name: string, column = ''): Row {
  const row = rows.find((row) => row[column] === name)
  if (row === undefined) throw new Error(`the saved page has no row '${name}'`)
  return row
}

/** @throws Error if the row of this name has no figure there */
function figureOf (rows: readonly Row[], name: string, column: string): number {
  const figure = figureIn(rowOf(rows, name)[column])
  if (figure === '') throw new Error(`the saved page has no figure for '${name}' in the column '${column}'`)
  return Number(figure)
}

interface Table {
  readonly page: string
  readonly heading: string
  readonly write: () => string
}

/** The variants whose CPU the comparison shows, by their names in the saved results. */
const COMPARED = [
  'fastify-crud-kit', 'hand-written, two queries and a schema', 'Platformatic DB', 'nestjs-paginate, TypeORM',
  'MikroORM find + serialize',
]

/** The requests whose growth the page about scaling shows, by their names in the saved results, and the sizes. */
const SCALED = [
  '20 of 100 to 300 that a filter finds, sorted, with total', 'first page of all, exact total',
  'first page of all, total up to 10 000', 'first page by cursor', 'page by cursor in the second half of all',
]
const SIZES = ['10 000', '1 000 000', '10 000 000']

const TABLES: readonly Table[] = [
  {
    page: 'docs/operating/scaling.md',
    heading: '## 1. The machine there is',
    write () {
      const growth = savedTable(saved('GROWTH.md'), { heading: '## Generated routes' })
      return table(
        ['Request', ...SIZES],
        SCALED.map((request) => [request, ...SIZES.map((size) => rowOf(growth, request, 'Request')[size]!)])
      )
    },
  },
  {
    page: 'docs/start/comparison.md',
    heading: '## What a request costs',
    write () {
      const cpu = savedTable(saved('RESULTS.md'), { heading: '## CPU of a request, to the hand-written route' })
      return table(
        ['CPU, to hand-written', ...COMPARED],
        cpu.map((row) => [row['']!, ...COMPARED.map((variant) => figureIn(row[variant]))])
      )
    },
  },
]

interface Sentence {
  readonly page: string
  /** Its text, with `{}` for each figure. Line breaks of the page do not matter. */
  readonly text: string
  readonly figures: () => readonly string[]
}

const SENTENCES: readonly Sentence[] = [
  {
    page: 'docs/operating/scaling.md',
    text: 'takes {} times as long without it on tables with 32 partitions, and {} times as long on Citus',
    figures () {
      const ratio = 'ratio, without to with'
      const rows = savedTable(saved('DISTRIBUTED.md'), { head: ratio })
      return ['one server, tables with 32 partitions by tenant', 'Citus, co-located tables'].map((name) =>
        figureOf(rows, name, ratio).toFixed(0)
      )
    },
  },
  {
    page: 'docs/start/comparison.md',
    text: 'takes {} times the memory of a hand-written route',
    figures () {
      const list = savedTable(saved('RESULTS.md'), { heading: '### List 20 of a filtered, sorted set, with total' })
      const memory = (variant: string) => figureOf(list, variant, 'peak memory, MiB')
      return [(memory('fastify-crud-kit') / memory('hand-written, one statement')).toFixed(1)]
    },
  },
]

interface PageWithFigures {
  readonly page: string
  readonly is: string
  /** Its text with the figures of the saved results. */
  readonly should: string
}

export function pagesWithFigures (): readonly PageWithFigures[] {
  return [...new Set([...TABLES, ...SENTENCES].map(({ page }) => page))].map((page) => {
    const is = fs.readFileSync(path.join(root, page), 'utf8')
    const tables = TABLES.filter((one) => one.page === page)
    const sentences = SENTENCES.filter((one) => one.page === page)
    return { page, is, should: sentences.reduce(withFigures, tables.reduce(withTable, is)) }
  })
}

/** Writes the figures of the saved results into the documentation. */
export function updateFigures (): void {
  for (const { page, is, should } of pagesWithFigures()) {
    if (is !== should) fs.writeFileSync(path.join(root, page), should)
  }
}

/** @throws Error if the page does not have the heading, with a table below it */
export function withTable (page: string, { heading, write }: Pick<Table, 'heading' | 'write'>): string {
  const from = page.indexOf(`\n${heading}\n`)
  const start = page.indexOf('\n|', from) + 1
  if (from === -1 || start === 0) throw new Error(`a page must have a table under '${heading}'`)
  const end = /^(?:\|.*\n)+/.exec(page.slice(start))![0].length
  return `${page.slice(0, start)}${write()}\n${page.slice(start + end)}`
}

/** @throws Error if the page does not have the sentence exactly once */
export function withFigures (page: string, { text, figures }: Pick<Sentence, 'text' | 'figures'>): string {
  const parts = text.split('{}').map((part) => `(${part.replace(/[.*+?^$()[\]\\|]/g, '\\$&').replaceAll(' ', '\\s+')})`)
  const found = [...page.matchAll(new RegExp(parts.join('[\\d.]+'), 'g'))]
  const [match] = found
  if (match === undefined || found.length > 1) throw new Error(`a page must have this sentence once: ${text}`)
  const values = figures()
  const written = match.slice(1).map((part, index) => part + (values[index] ?? '')).join('')
  return page.slice(0, match.index) + written + page.slice(match.index + match[0].length)
}
