/**
 * By which columns a view groups its rows, so that no two rows have the same values in them. PostgreSQL does not say
 * which key a view has. The parsed query, which it keeps, says how the rows are grouped.
 */
import { TARGET } from './view-target.ts'

/** A target that is a column of the view. */
const SHOWN_TARGET = new RegExp(`${TARGET} [^{}]*:resjunk false`)

/** Facts about the rows of a view, read from its parsed query. */
interface Clauses {
  /** The first word of each member of the query: `false`, or `<>` for an empty list. */
  readonly members: Map<string, string>
  /** The numbers that mark the columns of `group by`, and of `distinct on`. */
  readonly groups: string[]
  readonly distinct: string[]
  /** The numbers of the columns of the view, by their marks. */
  readonly columns: Map<string, number>
}

/**
 * The columns that `distinct on` or `group by` name, by their numbers. Empty if some of them are not in the view. A
 * plain `distinct` names all columns, which are no useful key.
 */
export function groupsIn (query: string): readonly number[] {
  const { members, groups, distinct, columns } = clausesIn(query)
  // rows are not told apart by groups if there are several sets of them, or if a function makes more rows
  if (members.get(':hasTargetSRFs') !== 'false' || members.get(':groupingSets') !== '<>') return []
  const marks = members.get(':hasDistinctOn') === 'true' ? distinct : groups
  const numbers = marks.map((mark) => columns.get(mark))
  return numbers.every((number) => number !== undefined) ? numbers : []
}

/** Reads the query itself. The members of subqueries are deeper in the text. */
function clausesIn (query: string): Clauses {
  const clauses: Clauses = { members: new Map(), groups: [], distinct: [], columns: new Map() }
  let depth = 0
  let clause = ''
  let start = 0
  for (const { 0: token, index } of query.matchAll(/\\.|[{}]|:\w+/gs)) {
    if (token === '{') {
      depth += 1
      start = index
    } else if (token === '}') {
      depth -= 1
      if (depth === 1) readNode(query.slice(start, index), clause, clauses)
    } else if (depth === 1 && token.startsWith(':')) {
      clause = token
      const value = index + token.length + 1
      clauses.members.set(token, query.slice(value, query.indexOf(' ', value)))
    }
  }
  return clauses
}

/** @param text the end of the node: what follows the last node inside of it */
function readNode (text: string, clause: string, { groups, distinct, columns }: Clauses): void {
  const [, mark] = /:tleSortGroupRef (\d+) /.exec(text) ?? []
  if (mark !== undefined && clause === ':groupClause') groups.push(mark)
  if (mark !== undefined && clause === ':distinctClause') distinct.push(mark)
  if (clause !== ':targetList') return
  const [, number, reference] = SHOWN_TARGET.exec(text) ?? []
  if (reference !== undefined && reference !== '0') columns.set(reference, Number(number))
}
