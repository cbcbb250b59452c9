/** The paths of files that documents and comments name. In: text. Out: paths as written, each with its line. */
import ts from 'typescript'

export interface NamedPath {
  readonly path: string
  readonly line: number
}

/** A path below one of the repository's folders, which is neither part of an address nor the name of a package. */
const BELOW_A_FOLDER = /(?<![\w./@:-])(?:src|plugins|test|docs|example|scripts|bench)\/[\w./-]*[\w/]/g
/** A file by its name or by a relative path. Names of one letter stand for any file. */
const BY_NAME = /(?<![\w./@:*<>{}-])(?:\.{0,2}\/)?(?:[\w-]+\/)*[\w-]{2,}(?:\.test|\.tst)?\.(?:ts|mjs|md)\b(?![\w*-])/g
/** A link of Markdown to a file. */
const LINK = /\]\((?!\w+:)([^)#\s]+)[^)]*\)/g
const ADDRESS = /\w+:\/\/\S+/g
const BLOCK = /^( *)(`{3,})[^]*?^\1\2$/gm

/** The files that a page of Markdown names, outside of code blocks and addresses. */
export function pathsInPage (text: string): NamedPath[] {
  const prose = blank(blank(text, BLOCK), ADDRESS)
  return [
    ...matches(prose, LINK, 0).map(({ path, line }) => ({ path: path.replace(LINK, '$1'), line })),
    ...matches(blank(prose, LINK), BELOW_A_FOLDER, 0),
  ]
}

/** The files that comments of a source file name. */
export function pathsInComments (text: string): NamedPath[] {
  // parsing is slow, and most files name others in their imports only
  const rest = text.replace(/ from '[^']*'/g, '')
  if (![BELOW_A_FOLDER, BY_NAME].some((pattern) => rest.search(pattern) >= 0)) return []
  return commentsOf(text).flatMap(({ text: comment, line }) => {
    const prose = blank(comment, ADDRESS)
    const below = matches(prose, BELOW_A_FOLDER, line)
    return [...below, ...matches(blank(prose, BELOW_A_FOLDER), BY_NAME, line)]
  })
}

function matches (text: string, pattern: RegExp, from: number): NamedPath[] {
  return [...text.matchAll(pattern)].map(({ 0: path, index }) => ({ path, line: from + lineAt(text, index) }))
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length

/** Replaces matches with spaces, so that lines keep their numbers. */
const blank = (text: string, pattern: RegExp): string => text.replace(pattern, (match) => match.replace(/[^\n]/g, ' '))

/** The comments of a source file, each with the number of lines before it. */
function commentsOf (text: string): { readonly text: string, readonly line: number }[] {
  const source = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest)
  const ends = new Map<number, number>()
  const visit = (node: ts.Node): void => {
    for (const { pos, end } of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []) ends.set(pos, end)
    for (const { pos, end } of ts.getTrailingCommentRanges(text, node.end) ?? []) ends.set(pos, end)
    for (const child of node.getChildren(source)) visit(child)
  }
  visit(source)
  return [...ends].map(([pos, end]) => ({ text: text.slice(pos, end), line: lineAt(text, pos) - 1 }))
}
