/**
 * Formats the project's TypeScript: `npm run format` for all files, `npm run format -- a.ts b.ts` for some. Lists
 * of short values fill the lines, and tests are packed (fill-lists.mjs). Then it runs `eslint --fix`. It does not
 * break comments and long strings, so you must break them yourself.
 */
import { createFromBuffer } from '@dprint/formatter'
import { getPath } from '@dprint/typescript'
import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { fillLists } from './fill-lists.mjs'

const formatter = createFromBuffer(fs.readFileSync(getPath()))
formatter.setConfig({ lineWidth: 120, indentWidth: 2, useTabs: false, newLineKind: 'lf' }, {
  semiColons: 'asi',
  quoteStyle: 'preferSingle',
  'jsx.quoteStyle': 'preferSingle',
  quoteProps: 'preserve',
  trailingCommas: 'onlyMultiLine',
  'arguments.trailingCommas': 'never',
  'parameters.trailingCommas': 'never',
  'typeParameters.trailingCommas': 'never',
  'typeLiteral.separatorKind': 'comma',
  'arrowFunction.useParentheses': 'maintain',
  'binaryExpression.operatorPosition': 'maintain',
  'conditionalExpression.operatorPosition': 'nextLine',
  bracePosition: 'sameLine',
  singleBodyPosition: 'maintain',
  nextControlFlowPosition: 'sameLine',
  useBraces: 'whenNotSingleLine',
  'functionDeclaration.spaceBeforeParentheses': true,
  'functionExpression.spaceBeforeParentheses': true,
  'functionExpression.spaceAfterFunctionKeyword': true,
  'method.spaceBeforeParentheses': true,
  'constructor.spaceBeforeParentheses': true,
  'getAccessor.spaceBeforeParentheses': true,
  'setAccessor.spaceBeforeParentheses': true,
  'forOfStatement.preferHanging': true,
  'module.sortImportDeclarations': 'maintain',
  'module.sortExportDeclarations': 'maintain',
  'importDeclaration.sortNamedImports': 'maintain',
  'exportDeclaration.sortNamedExports': 'maintain',
})
const mistakes = formatter.getConfigDiagnostics()
if (mistakes.length > 0) throw new Error(JSON.stringify(mistakes))

/** Packed lists make room in which dprint may move more, so that a file needs some rounds until it stays as it is. */
function format (text, file) {
  for (let round = 0; round < 5; round++) {
    const next = fillLists(formatter.formatText({ filePath: file, fileText: text }), file)
    if (next === text) return text
    text = next
  }
  throw new Error(`${file}: the format does not become stable.`)
}

const chosen = process.argv.slice(2)
const tracked = () =>
  execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mjs'], { encoding: 'utf8' }).trim().split('\n')
const files = (chosen.length > 0 ? chosen : tracked()).filter((file) => fs.existsSync(file))
for (const file of files) {
  const text = fs.readFileSync(file, 'utf8')
  const formatted = format(text, file)
  if (formatted !== text) fs.writeFileSync(file, formatted)
}
process.exitCode = spawnSync('npx', ['eslint', '--fix', ...files], { stdio: 'inherit' }).status ?? 1
