/**
 * Circles of imports between files. In: the text of source files. Out: sentences, one for each circle, and one for each
 * exception that is no longer needed. Type-only imports count.
 *
 * The order of stages rules out circles between folders of `src`, so those are inside of one folder.
 */
import path from 'node:path'
import { readImports } from './import-rules.ts'

/** An import that closes a circle, and the reason to keep it. */
export interface Exception {
  readonly from: string
  readonly to: string
  readonly because: string
}

/** The existing circles, each as the import to remove. Never add a new circle to this list. */
export const EXCEPTIONS: readonly Exception[] = [
  {
    from: 'src/config/filter-kinds.ts',
    to: 'src/config/allowed-filters.ts',
    because: 'the alternatives of a filter are of the class whose static methods make it',
  },
]

type Graph = ReadonlyMap<string, readonly string[]>

/** The circles in `files` (path from the repository's root, with slashes, to text) without an exception. */
export function findCircles (files: ReadonlyMap<string, string>, exceptions: readonly Exception[]): string[] {
  const graph: Graph = new Map([...files].map(([file, text]) => [file, importsOf(file, text, files)]))
  const isException = (from: string, to: string): boolean =>
    exceptions.some((exception) => exception.from === from && exception.to === to)
  const allowed: Graph = new Map([...graph].map(([from, all]) => [from, all.filter((to) => !isException(from, to))]))
  const circles = new Map<string, string>()
  for (const file of allowed.keys()) {
    const circle = shortestWay(allowed, file, file)
    // a circle is found from each of its files
    if (circle !== undefined) circles.set([...circle].sort().join(), [file, ...circle].join(' -> '))
  }
  const stale = exceptions.filter(({ from, to }) =>
    graph.get(from)?.includes(to) !== true || !shortestWay(graph, to, from)
  )
  return [
    ...[...circles.values()].map((circle) => `imports in a circle: ${circle}`),
    ...stale.map(({ from, to }) => `${from} -> ${to} closes no circle any more: remove the exception`),
  ]
}

function importsOf (file: string, text: string, files: ReadonlyMap<string, string>): string[] {
  return readImports(text)
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ specifier }) => path.posix.join(path.posix.dirname(file), specifier))
    .filter((target) => files.has(target))
}

/** The files on the shortest path of imports from one file to another, without the first one. */
function shortestWay (graph: Graph, from: string, to: string): string[] | undefined {
  const ways: string[][] = [[from]]
  const seen = new Set<string>()
  for (const way of ways) {
    for (const next of graph.get(way.at(-1)!) ?? []) {
      if (next === to) return [...way.slice(1), next]
      if (seen.has(next)) continue
      seen.add(next)
      ways.push([...way, next])
    }
  }
  return undefined
}
