/**
 * Packs what dprint spreads over many lines. dprint writes a list that does not fit on one line with one value a line,
 * which makes a long list a column that nobody reads: a list of short plain values, such as names, numbers and imports,
 * becomes prose, with as many on a line as fit.
 *
 * Tests have many records, tables and calls. In a test, whatever fits on one line is on one line, objects and lists of
 * short values are filled, and the arguments of a call and the rows of a table begin beside their bracket.
 */
import ts from 'typescript'

const WIDTH = 120
/** Longer values, such as sentences, have a line each. */
const SHORT = 32
const SHORT_IN_TESTS = 40
/** Longer rows of a table have a line each. */
const SHORT_ROW = 30

/** The text of a file with packed lists. Packing one can make room for the next, which takes a few rounds. */
export function fillLists (text, path) {
  const replacementOf = path.startsWith('test/') ? packed : ordinary
  for (;;) {
    const next = replace(text, path, replacementOf)
    if (next === text || replacementOf === ordinary) return next
    text = next
  }
}

/** Replaces the outermost nodes for which there is another text. */
function replace (text, path, replacementOf) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const edits = []
  const visit = (node) => {
    const { pos, end } = partOf(node)
    const replacement = text.slice(pos, end).includes('\n') ? replacementOf(node) : undefined
    if (replacement === undefined || isWider(node, replacement)) ts.forEachChild(node, visit)
    else edits.push([pos, end, replacement])
  }
  visit(source)
  return edits.reverse().reduce((all, [pos, end, part]) => all.slice(0, pos) + part + all.slice(end), text)
}

/** Whether a line of the replacement is too long, and no line of the node is as long. */
function isWider (node, replacement) {
  const { before, after } = aroundOf(node)
  const { pos, end } = partOf(node)
  const width = (part) => Math.max(...`${before}${part}${after}`.split('\n').map(({ length }) => length))
  return width(replacement) > Math.max(WIDTH, width(node.getSourceFile().text.slice(pos, end)))
}

/** The part of a node that is replaced: of a call its arguments, of a loop its head. */
function partOf (node) {
  if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
    return { pos: (node.arguments?.pos ?? node.end) - 1, end: node.end }
  }
  if (ts.isForOfStatement(node)) return { pos: node.initializer.pos - 1, end: node.statement.getStart() }
  return { pos: node.getStart(), end: node.end }
}

const ordinary = (node) => isPlainList(node) ? filled(node) : undefined

function packed (node) {
  if (ts.isForOfStatement(node)) return headOfLoop(node)
  const values = ts.isObjectLiteralExpression(node) ? node.properties : node.elements ?? node.arguments
  if (values === undefined || values.length === 0 || isText(node) || ts.isBindingName(node)) return undefined
  const line = hasComment(node, false) ? undefined : inOneLine(node)
  if (line !== undefined) return line
  if (isShort(node, values)) return filled(node)
  return isRow(node) || ts.isCallExpression(node) || ts.isNewExpression(node) ? hanging(node, values) : undefined
}

/** Lines that are joined again, as those of a file. They keep their lines. */
function isText (node) {
  const call = ts.isPropertyAccessExpression(node.parent) ? node.parent.parent : node
  return /\.join\('(\\r)?\\n'\)$/.test(call.getText())
}

/** The node on one line, if it fits and nothing in it needs lines. */
function inOneLine (node) {
  if (!canBeOneLine(node)) return undefined
  const { pos, end } = partOf(node)
  const [first, ...rest] = node.getSourceFile().text.slice(pos, end).split('\n').map((line) => line.trim())
  let all = first
  for (const line of rest) {
    if (/^[\])]/.test(line)) all = all.replace(/,$/, '') + line
    else if (/^\}/.test(line)) all = `${all.replace(/,$/, '')} ${line}`
    else if (/[[(]$/.test(all) || /^\??\.(?!\.)/.test(line)) all += line
    else all += ` ${line}`
  }
  return widthWith(node, all) <= WIDTH ? all : undefined
}

/** Statements, classes and texts of several lines keep their lines. */
function canBeOneLine (node) {
  const keepsLines = (child) =>
    (ts.isBlock(child) && child.statements.length > 0) || ts.isClassExpression(child) ||
    (ts.isTemplateLiteral(child) && child.getText().includes('\n')) ||
    ts.forEachChild(child, keepsLines) === true
  return !keepsLines(node)
}

/** The brackets around its values. */
function bracketsOf (node) {
  const { text } = node.getSourceFile()
  return [text[partOf(node).pos], text[node.end - 1]]
}

/** The width of the line with the node, if `text` was instead of it. */
function widthWith (node, text) {
  const { before, after } = aroundOf(node)
  return before.length + text.length + after.length
}

/** The texts before and after a node on its lines. */
function aroundOf (node) {
  const { text } = node.getSourceFile()
  const { pos, end } = partOf(node)
  return {
    before: text.slice(text.lastIndexOf('\n', pos - 1) + 1, pos),
    after: text.slice(end, text.indexOf('\n', end) >>> 0),
  }
}

/** Whether there are comments inside: beside a value, or anywhere. Texts and regular expressions may have slashes. */
function hasComment (node, onlyBeside) {
  const { text } = node.getSourceFile()
  const visit = (child) => {
    const pos = child.getFullStart()
    const isFirst = child === node || pos === child.getStart()
    if (!isFirst && ts.getTrailingCommentRanges(text, pos)) return true
    if (!isFirst && !onlyBeside && ts.getLeadingCommentRanges(text, pos)) return true
    return child.getChildren().some(visit)
  }
  return visit(node)
}

/** Whether a list, an object or the arguments of a call have at least three short values. */
function isShort (node, values) {
  if (values.length < 3 || hasComment(node, true)) return false
  const { text } = node.getSourceFile()
  const beginsLine = (value) => text.slice(text.lastIndexOf('\n', value.getStart()), value.getStart()).trim() === ''
  if (values.some((value) => value.getText().includes('\n') && !beginsLine(value))) return false
  const texts = values.map((value) => value.getText()).filter((text) => !text.includes('\n'))
  if (texts.length < 3 || texts.length < values.length / 2) return false
  const isCall = ts.isCallExpression(node) || ts.isNewExpression(node)
  if (isCall && (texts.length < values.length || values.length < 5)) return false
  const isTable = ts.isArrayLiteralExpression(node) &&
    values.every((value) => ts.isArrayLiteralExpression(value) || ts.isObjectLiteralExpression(value))
  return texts.reduce((sum, { length }) => sum + length, 0) / texts.length <= (isTable ? SHORT_ROW : SHORT_IN_TESTS)
}

/** A list in a list. */
function isRow (node) {
  return ts.isArrayLiteralExpression(node) && ts.isArrayLiteralExpression(node.parent) &&
    !node.elements.every((element) => ts.isArrayLiteralExpression(element))
}

/** The values begin beside the bracket, and go on in the next lines. */
function hanging (node, values) {
  if (values.length < 2 || hasComment(node, false) || !canBeOneLine(node)) return undefined
  if (values.some((value) => value.getText().includes('\n'))) return undefined
  if (isInside(node)) return undefined
  const { before, after } = aroundOf(node)
  const indent = `${/^ */.exec(before)[0]}  `
  const [open, close] = bracketsOf(node)
  const lines = [`${before}${open}`]
  for (const [index, value] of values.entries()) {
    const isLast = index === values.length - 1
    const text = value.getText() + (isLast ? close : ',')
    const longer = index === 0 ? `${lines[0]}${text}` : `${lines.at(-1)} ${text}`
    if (longer.length + (isLast ? after.length : 0) <= WIDTH) lines[lines.length - 1] = longer
    else if (index === 0) return undefined
    else lines.push(`${indent}${text}`)
  }
  return lines.join('\n').slice(before.length)
}

/** Whether a bracket around the node is opened on the same line. */
function isInside (node) {
  const { text } = node.getSourceFile()
  const { pos } = partOf(node)
  const line = text.lastIndexOf('\n', pos - 1)
  for (let outer = node.parent; !ts.isStatement(outer); outer = outer.parent) {
    const isBracket = ts.isCallExpression(outer) || ts.isNewExpression(outer) || ts.isArrayLiteralExpression(outer) ||
      ts.isObjectLiteralExpression(outer) || ts.isParenthesizedExpression(outer)
    const start = partOf(outer).pos
    if (isBracket && start > line && start < pos) return true
  }
  return false
}

/** `for (const x of [` on one line, and `]) {` on one. */
function headOfLoop (node) {
  const { text } = node.getSourceFile()
  const { pos, end } = partOf(node)
  const head = text.slice(pos, end)
  if (!head.startsWith('(\n') || !canBeOneLine(node.expression) || hasComment(node.expression, false)) return undefined
  const lines = head.split('\n').slice(1, -1).map((line) => line.replace(/^ {2}/, ''))
  return `(${lines.join('\n').trimStart()}${head.slice(head.lastIndexOf(')'))}`
}

/** Also the names of an import. */
function isPlainList (node) {
  if (!ts.isArrayLiteralExpression(node) && !ts.isNamedImports(node) && !ts.isNamedExports(node)) return false
  const { elements } = node
  return elements.length > 1 && !isText(node) && !/\/[/*] |=>/.test(node.getText()) && elements.every(isPlain) &&
    elements.reduce((sum, element) => sum + element.getText().length, 0) / elements.length <= SHORT
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

/** As many values on a line as fit. Values of several lines, and comments, have their own. */
function filled (node) {
  const { text } = node.getSourceFile()
  const isCall = ts.isCallExpression(node) || ts.isNewExpression(node)
  const [open, close] = bracketsOf(node)
  const values = [...isCall ? node.arguments : node.elements ?? node.properties]
  const space = open === '{' ? ' ' : ''
  const line = `${open}${space}${values.map((value) => value.getText()).join(', ')}${space}${close}`
  if (!line.includes('\n') && !hasComment(node, false) && widthWith(node, line) <= WIDTH) return line
  const indent = `${/^ */.exec(aroundOf(node).before)[0]}  `
  const lines = ['']
  for (const [index, value] of values.entries()) {
    const item = `${value.getText()}${isCall && index === values.length - 1 ? '' : ','}`
    const comments = (ts.getLeadingCommentRanges(text, value.getFullStart()) ?? [])
      .map(({ pos, end }) => `${indent}${text.slice(pos, end)}`)
    const longer = `${lines.at(-1)} ${item}`
    if (comments.length > 0 || item.includes('\n')) lines.push(...comments, `${indent}${item}`)
    else if (lines.at(-1) !== '' && longer.length <= WIDTH) lines[lines.length - 1] = longer
    else lines.push(`${indent}${item}`)
    if (item.includes('\n')) lines.push('')
  }
  return [open, ...lines.filter((line) => line !== ''), `${indent.slice(2)}${close}`].join('\n')
}
