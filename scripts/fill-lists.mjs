/**
 * Lists of short plain values, such as names, numbers and imports, as prose: as many on a line as fit. dprint writes a
 * list that does not fit on one line with one value a line, which makes a long list a column that nobody reads. Tests
 * have many records and rows, so their objects and lists of very short lists are filled, too.
 */
import ts from 'typescript'

const WIDTH = 120
/** Longer values, such as sentences, have a line each. */
const SHORT = 32
/** Longer lists and objects inside of a list, such as the cases of a table, have a line each. */
const VERY_SHORT = 12

/** The text of a file, in which such lists are filled. Lists with comments stay as they are. */
export function fillLists (text, path) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const edits = []
  const isList = path.startsWith('test/') ? (node) => isPlainList(node) || isPlainData(node) : isPlainList
  const visit = (node) => {
    if (isList(node)) edits.push([node.getStart(), node.end, filled(node)])
    else ts.forEachChild(node, visit)
  }
  visit(source)
  return edits.reverse().reduce((all, [start, end, list]) => all.slice(0, start) + list + all.slice(end), text)
}

/** Also the names of an import. Lines of a text, which are joined again, keep their lines. */
function isPlainList (node) {
  if (!ts.isArrayLiteralExpression(node) && !ts.isNamedImports(node) && !ts.isNamedExports(node)) return false
  const { elements, parent } = node
  const text = node.getText()
  if (ts.isPropertyAccessExpression(parent) && /\.join\('(\\r)?\\n'\)$/.test(parent.parent.getText())) return false
  return elements.length > 1 && text.includes('\n') && !/\/[/*] |=>/.test(text) && elements.every(isPlain) &&
    elements.reduce((sum, element) => sum + element.getText().length, 0) / elements.length <= SHORT
}

/** An object with several members, or a list of very short lists, as tests have them. */
function isPlainData (node) {
  const elements = ts.isObjectLiteralExpression(node)
    ? node.properties
    : ts.isArrayLiteralExpression(node) ? node.elements : []
  const text = node.getText()
  if (elements.length < 3 || !text.includes('\n') || /\/[/*] |=>/.test(text)) return false
  if (!elements.every((element) => !element.getText().includes('\n') && isData(element))) return false
  const isNested = !ts.isObjectLiteralExpression(node) &&
    elements.some((element) => ts.isArrayLiteralExpression(element) || ts.isObjectLiteralExpression(element))
  const average = elements.reduce((sum, element) => sum + element.getText().length, 0) / elements.length
  return average <= (isNested ? VERY_SHORT : SHORT)
}

/** A value, or a member of an object, in which nothing happens but calls of functions with such values. */
function isData (node) {
  if (ts.isPropertyAssignment(node)) return isData(node.initializer)
  if (ts.isSpreadElement(node) || ts.isSpreadAssignment(node) || ts.isAsExpression(node)) return isData(node.expression)
  if (ts.isArrayLiteralExpression(node)) return node.elements.every(isData)
  if (ts.isObjectLiteralExpression(node)) return node.properties.every(isData)
  if (ts.isPrefixUnaryExpression(node)) return isData(node.operand)
  if (ts.isNewExpression(node) || ts.isCallExpression(node)) {
    return /^(new )?\w+(\.\w+)*\(/.test(node.getText()) && (node.arguments ?? []).every(isData)
  }
  return ts.isShorthandPropertyAssignment(node) || node.kind === ts.SyntaxKind.NullKeyword ||
    PLAIN.some((is) => is(node))
}

const PLAIN = [
  ts.isBooleanLiteral, ts.isExportSpecifier, ts.isIdentifier, ts.isImportSpecifier, ts.isLiteralExpression,
  ts.isPropertyAccessExpression, ts.isTemplateExpression,
]

/** A literal, a name, or an object that is made of them, such as `AllowedFilters.exact('name')`. */
function isPlain (node) {
  if (node.getText().includes('\n')) return false
  if (ts.isSpreadElement(node)) return isPlain(node.expression)
  if (ts.isPrefixUnaryExpression(node)) return ts.isNumericLiteral(node.operand)
  if (ts.isNewExpression(node) || (ts.isCallExpression(node) && /^[A-Z]\w+\.\w+\(/.test(node.getText()))) {
    return (node.arguments ?? []).every(isPlain)
  }
  return node.kind === ts.SyntaxKind.NullKeyword || PLAIN.some((is) => is(node))
}

function filled (node) {
  const { text } = node.getSourceFile()
  const values = (node.elements ?? node.properties).map((element) => element.getText())
  const line = text.slice(text.lastIndexOf('\n', node.getStart()) + 1, node.getStart())
  const rest = text.slice(node.end, text.indexOf('\n', node.end))
  const [open, close] = ts.isArrayLiteralExpression(node) ? ['[', ']'] : ['{ ', ' }']
  const inOneLine = `${open}${values.join(', ')}${close}`
  if (`${line}${inOneLine}${rest}`.length <= WIDTH) return inOneLine
  const indent = /^ */.exec(line)[0]
  const lines = []
  for (const value of values) {
    const longer = `${lines.at(-1)} ${value},`
    if (lines.length > 0 && longer.length <= WIDTH) lines[lines.length - 1] = longer
    else lines.push(`${indent}  ${value},`)
  }
  return `${open.trim()}\n${lines.join('\n')}\n${indent}${close.trim()}`
}
