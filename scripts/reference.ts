/**
 * npm run reference: writes docs/reference.md from the types and docstrings of everything that the package exports.
 * `test/reference.test.ts` fails if the page is out of date.
 */
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'

const root = path.resolve(import.meta.dirname, '..')
export const REFERENCE = path.join(root, 'docs/reference.md')

/** The entries of the package, each with its source file. */
const ENTRIES: ReadonlyArray<readonly [name: string, file: string]> = [
  ['fastify-crud-kit', 'src/index.ts'],
  ['fastify-crud-kit/client', 'src/client/index.ts'],
  ['fastify-crud-kit/tanstack-query', 'src/client/tanstack-query.ts'],
  ['fastify-crud-kit/react-admin', 'src/admin/react-admin/index.ts'],
  ['fastify-crud-kit/refine', 'src/admin/refine/index.ts'],
  ['fastify-crud-kit/explorer', 'plugins/explorer.ts'],
]

/** Longer types are cut: the editor shows them in full. */
const MAX_TYPE = 160

const HEAD = `# Reference

Every export of the package with its options and methods. \`npm run reference\` writes this page from the docstrings,
which your editor shows, too. Types are shortened.
`

export function writtenReference (): string {
  const files = ENTRIES.map(([, file]) => path.join(root, file))
  const config = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile).config as object
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files }, ts.sys, root)
  const program = ts.createProgram(files, options)
  const checker = program.getTypeChecker()
  const sections = ENTRIES.map(([name, file]) => {
    const source = program.getSourceFile(path.join(root, file))!
    const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(source)!)
      // the default exports have names, too; `autoload` is a setting for @fastify/autoload
      .filter(({ name }) => name !== 'default' && name !== 'autoload')
      .sort((a, b) => a.name < b.name ? -1 : 1)
    return `## ${name}\n\n${symbols.map((symbol) => new Entry(checker, symbol).text()).join('\n')}`
  })
  return `${HEAD}\n${sections.join('\n')}`
}

/** The part of the page about one export. */
class Entry {
  readonly #checker: ts.TypeChecker
  readonly #symbol: ts.Symbol
  readonly #name: string

  constructor (checker: ts.TypeChecker, symbol: ts.Symbol) {
    this.#checker = checker
    this.#name = symbol.name
    this.#symbol = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  }

  text (): string {
    const declaration = this.#symbol.declarations?.[0]
    if (declaration === undefined) throw new Error(`${this.#name} has no declaration`)
    const parts = [`### ${this.#name}`, this.#kind(declaration), this.#doc(this.#symbol), ...this.#members(declaration)]
    return `${parts.filter((part) => part !== '').join('\n\n')}\n`
  }

  #kind (declaration: ts.Declaration): string {
    const type = this.#checker.getTypeOfSymbol(this.#symbol)
    const [signature] = type.getCallSignatures()
    if (ts.isClassDeclaration(declaration)) return this.#newCall(type)
    if (ts.isInterfaceDeclaration(declaration)) return ''
    if (ts.isTypeAliasDeclaration(declaration)) {
      return isObject(declaration.type) ? '' : `\`type ${this.#name} = ${oneLine(declaration.type.getText())}\``
    }
    if (signature !== undefined) return `\`${this.#signature(this.#name, signature)}\``
    return `\`${this.#name}: ${this.#type(type)}\``
  }

  #newCall (type: ts.Type): string {
    const [signature] = type.getConstructSignatures()
    if (signature === undefined) return `\`abstract class ${this.#name}\``
    return `\`new ${this.#name}(${this.#parameters(signature)})\``
  }

  #members (declaration: ts.Declaration): string[] {
    if (ts.isClassDeclaration(declaration)) {
      const statics = this.#checker.getTypeOfSymbol(this.#symbol)
      const instance = this.#checker.getDeclaredTypeOfSymbol(this.#symbol)
      return [
        this.#table(
          'Static method',
          ownMembers(statics.getProperties(), true).filter(({ name }) => name !== 'prototype')
        ),
        this.#table('Member', ownMembers(instance.getProperties(), false)),
      ]
    }
    const isOptions = ts.isInterfaceDeclaration(declaration) ||
      (ts.isTypeAliasDeclaration(declaration) && isObject(declaration.type))
    if (!isOptions) return []
    return [
      this.#table(
        'Member',
        asDeclared(ownMembers(this.#checker.getDeclaredTypeOfSymbol(this.#symbol).getProperties(), false))
      ),
    ]
  }

  #table (head: string, members: readonly ts.Symbol[]): string {
    if (members.length === 0) return ''
    const rows = members.map((member) => {
      const type = this.#checker.getTypeOfSymbol(member)
      const signatures = this.#checker.getNonNullableType(type).getCallSignatures()
      const isMethod = signatures.length > 0 && !!(member.flags & ts.SymbolFlags.Method)
      const shown = isMethod
        ? this.#signature(member.name, signatures[0]!)
        : `${member.name}${member.flags & ts.SymbolFlags.Optional ? '?' : ''}: ${this.#type(type, member)}`
      return `| \`${shown.replaceAll('|', '\\|')}\` | ${
        this.#doc(member).replace(/\s*\n\s*/g, ' ').replaceAll('|', '\\|')
      } |`
    })
    return `| ${head} | |\n|---|---|\n${rows.join('\n')}`
  }

  #signature (name: string, signature: ts.Signature): string {
    const written = signature.declaration?.type?.getText()
    return oneLine(`${name}(${this.#parameters(signature)}): ${written ?? this.#type(signature.getReturnType())}`)
  }

  #parameters (signature: ts.Signature): string {
    return signature.getParameters().map((parameter) => {
      const { valueDeclaration: declaration } = parameter
      const optional = declaration !== undefined && ts.isParameter(declaration) &&
        (declaration.questionToken !== undefined || declaration.initializer !== undefined)
      const rest = declaration !== undefined && ts.isParameter(declaration) && declaration.dotDotDotToken !== undefined
      const shown = parameter.name.startsWith('__') ? 'options' : parameter.name
      return `${rest ? '...' : ''}${shown}${optional ? '?' : ''}`
    }).join(', ')
  }

  /** A type as its declaration writes it, or else as the checker prints it. */
  #type (type: ts.Type, symbol?: ts.Symbol): string {
    const declaration = symbol?.declarations?.[0]
    const written = declaration !== undefined && writtenType(declaration)
    if (written) return oneLine(written)
    const printed = this.#checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation)
    // of an option in a schema, whose name has a question mark if it may be missing
    if (declaration !== undefined && ts.isPropertyAssignment(declaration)) {
      return oneLine(printed.replace(/ \| undefined$/, '').replaceAll('"', "'"))
    }
    return oneLine(printed)
  }

  /** The docstring, with its errors and example. */
  #doc (symbol: ts.Symbol): string {
    const text = ts.displayPartsToString(symbol.getDocumentationComment(this.#checker)).trim()
    if (symbol !== this.#symbol) return text
    const tags = symbol.getJsDocTags(this.#checker)
    const tagged = (name: string) =>
      tags.filter((tag) => tag.name === name).map((tag) => ts.displayPartsToString(tag.text).trim())
    const errors = tagged('throws').map((error) => `Throws ${error}`)
    const examples = tagged('example').map((example) => `\`\`\`ts\n${example}\n\`\`\``)
    return [escapeTags(text), ...errors, ...examples].filter((part) => part !== '').join('\n\n')
  }
}

/** The type that a declaration writes: of a property, or of an option in a schema, by `Type.Unsafe<...>`. */
function writtenType (declaration: ts.Declaration): string | undefined {
  if (ts.isPropertySignature(declaration) || ts.isPropertyDeclaration(declaration)) return declaration.type?.getText()
  if (!ts.isPropertyAssignment(declaration)) return undefined
  let schema: ts.Node | undefined = declaration.initializer
  // the other calls, such as `Type.Optional`, have the schema as their first argument
  while (schema !== undefined && ts.isCallExpression(schema)) {
    if (schema.expression.getText() === 'Type.Unsafe') return schema.typeArguments?.[0]?.getText()
    schema = schema.arguments[0]
  }
  return undefined
}

/** Members of an interface and then those of a schema, in the order of the schema. Mapped types have another order. */
function asDeclared (members: readonly ts.Symbol[]): readonly ts.Symbol[] {
  const place = ({ declarations }: ts.Symbol) =>
    ts.isPropertyAssignment(declarations![0]!) ? declarations![0]!.pos + 1 : 0
  return [...members].sort((a, b) => place(a) - place(b))
}

/** Whether a type is written as an object, whose members get a table. */
const isObject = (node: ts.TypeNode): boolean => ts.isTypeLiteralNode(node)

/** Members that the package declares and documents as public. */
function ownMembers (symbols: readonly ts.Symbol[], isStatic: boolean): ts.Symbol[] {
  return symbols.filter((symbol) => {
    const [declaration] = symbol.declarations ?? []
    if (declaration === undefined || declaration.getSourceFile().fileName.includes('node_modules')) return false
    const modifiers = ts.getCombinedModifierFlags(declaration)
    if (modifiers & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) return false
    if (isStatic !== !!(modifiers & ts.ModifierFlags.Static)) return false
    return !symbol.name.startsWith('#') &&
      !ts.getJSDocTags(declaration).some((tag) => tag.tagName.text === 'internal')
  })
}

function oneLine (text: string): string {
  const line = text.replace(/\s+/g, ' ').replaceAll('`', "'").replaceAll(`${root}/`, '')
  return line.length > MAX_TYPE ? `${line.slice(0, MAX_TYPE - 4).trimEnd()} ...` : line
}

/** Keeps Markdown from reading `<name>` as HTML. */
const escapeTags = (text: string): string =>
  text.split(/(`[^`]*`)/).map((part) => part.startsWith('`') ? part : part.replaceAll('<', '&lt;')).join('')

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) fs.writeFileSync(REFERENCE, writtenReference())
