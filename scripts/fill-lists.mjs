/**
 * Lists of short plain values, such as names and numbers, as prose: as many on a line as fit. dprint writes a list that
 * does not fit on one line with one value a line, which makes a long list a column that nobody reads.
 */
import ts from 'typescript'

const WIDTH = 120
/** Longer values, such as sentences, have a line each. */
const SHORT = 32

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

/** Lines of a text, which are joined again, keep their lines. */
function isPlainList (node) {
  const { elements, parent } = node
  const text = node.getText()
  if (ts.isPropertyAccessExpression(parent) && /\.join\('(\\r)?\\n'\)$/.test(parent.parent.getText())) return false
  return elements.length > 1 && text.includes('\n') && !/\/[/*] |=>/.test(text) && elements.every(isPlain) &&
    elements.reduce((sum, element) => sum + element.getText().length, 0) / elements.length <= SHORT
}

/** A literal, a name, or an object that is made of them, such as `AllowedFilters.exact('name')`. */
function isPlain (node) {
  if (ts.isSpreadElement(node)) return isPlain(node.expression)
  if (ts.isPrefixUnaryExpression(node)) return ts.isNumericLiteral(node.operand)
  if (ts.isNewExpression(node) || (ts.isCallExpression(node) && /^[A-Z]\w+\.\w+\(/.test(node.getText()))) {
    return (node.arguments ?? []).every(isPlain)
  }
  return ts.isIdentifier(node) || ts.isLiteralExpression(node) || ts.isTemplateExpression(node) ||
    ts.isPropertyAccessExpression(node) || ts.isBooleanLiteral(node) || node.kind === ts.SyntaxKind.NullKeyword
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
