/**
 * Lists of short plain values, such as names and numbers, as prose: as many on a line as fit. dprint writes a list that
 * does not fit on one line with one value a line, which makes a long list a column that nobody reads.
 */
import ts from 'typescript'

const WIDTH = 120
const LONGEST = 40

/** The text of a file, in which such lists are filled. Lists with comments stay as they are. */
export function fillLists (text, path) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const edits = []
  const visit = (node) => {
    if (ts.isArrayLiteralExpression(node) && isPlainList(node)) edits.push([node.getStart(), node.end, filled(node)])
    ts.forEachChild(node, visit)
  }
  visit(source)
  return edits.reverse().reduce((all, [start, end, list]) => all.slice(0, start) + list + all.slice(end), text)
}

function isPlainList (node) {
  const text = node.getText()
  return node.elements.length > 1 && text.includes('\n') && !/\/[/*]/.test(text) &&
    node.elements.every((element) => isPlain(element) && element.getText().length <= LONGEST)
}

function isPlain (node) {
  if (ts.isPrefixUnaryExpression(node)) return ts.isNumericLiteral(node.operand)
  return ts.isIdentifier(node) || ts.isLiteralExpression(node) || ts.isBooleanLiteral(node) ||
    node.kind === ts.SyntaxKind.NullKeyword
}

function filled (node) {
  const { text } = node.getSourceFile()
  const values = node.elements.map((element) => element.getText())
  const line = text.slice(text.lastIndexOf('\n', node.getStart()) + 1, node.getStart())
  const rest = text.slice(node.end, text.indexOf('\n', node.end))
  const inOneLine = `[${values.join(', ')}]`
  if (`${line}${inOneLine}${rest}`.length <= WIDTH) return inOneLine
  const indent = /^ */.exec(line)[0]
  const lines = []
  for (const value of values) {
    const longer = `${lines.at(-1)} ${value},`
    if (lines.length > 0 && longer.length <= WIDTH) lines[lines.length - 1] = longer
    else lines.push(`${indent}  ${value},`)
  }
  return `[\n${lines.join('\n')}\n${indent}]`
}
