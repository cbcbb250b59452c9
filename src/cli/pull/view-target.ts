/**
 * How PostgreSQL begins the description of a column in a parsed query, as the source of an expression that finds its
 * number and its mark. A backslash is before blanks and brackets in the name. Clauses such as `group by` refer to the
 * mark.
 */
export const TARGET = String.raw`:resno (\d+) :resname (?:\\.|[^\s\\])+ :ressortgroupref (\d+)`
