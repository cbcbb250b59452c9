/** The text about one export: its signature, its docstring, its members. */
import ts from 'typescript'
import { asDeclared, isMethod, isObject, membersOfLiteral, ownMembers, writtenType } from './members.ts'

/** Longer types are cut: the editor shows them in full. */
const MAX_TYPE = 160

/** A part of a page with a heading: an export, or a method of a class. */
export interface Part {
  /** `CrudBase`, `CrudBase.list()` */
  readonly heading: string
  /** Paragraphs of Markdown. */
  readonly texts: readonly string[]
  /** The types that it shows, as they are written. */
  readonly types: readonly string[]
}

/** Writes the parts of a page about one export. */
export class Entry {
  readonly #checker: ts.TypeChecker
  readonly #symbol: ts.Symbol
  readonly #name: string
  readonly #exported: (name: string) => boolean
  /** The types of the part that is being written. */
  #types: string[] = []

  /** @param exported whether a page describes a type of this name */
  constructor (checker: ts.TypeChecker, name: string, symbol: ts.Symbol, exported: (name: string) => boolean) {
    this.#checker = checker
    this.#name = name
    this.#symbol = symbol
    this.#exported = exported
  }

  /** The first sentence of the docstring, for a list of exports. */
  summary (): string {
    const [paragraph = ''] = this.#comment(this.#symbol).split('\n\n')
    const text = paragraph.replace(/\s+/g, ' ')
    return escapeTags(/^(?:`[^`]*`|[^`])*?\.(?=\s+[A-Z`]|$)/.exec(text)?.[0] ?? text)
  }

  /** The part about the export, and one for each method of a class. */
  parts (): Part[] {
    const declaration = this.#symbol.declarations?.[0]
    if (declaration === undefined) throw new Error(`${this.#name} has no declaration`)
    const texts = () => [...this.#kind(declaration), ...this.#tables(declaration)]
    return [this.#part(this.#name, texts), ...this.#methods(declaration)]
  }

  #part (heading: string, texts: () => string[]): Part {
    this.#types = []
    return { heading, texts: texts().filter((text) => text !== ''), types: this.#types }
  }

  /** The signature and the docstring. */
  #kind (declaration: ts.Declaration): string[] {
    const type = this.#checker.getTypeOfSymbol(this.#symbol)
    if (ts.isClassDeclaration(declaration)) {
      const signatures = type.getConstructSignatures()
      if (signatures.length === 0) return [`\`abstract class ${this.#name}\``, this.#doc(this.#symbol)]
      const calls = signatures.map((signature) => `\`new ${this.#call(this.#name, signature)}\``)
      const error = this.#errorOf(this.#checker.getDeclaredTypeOfSymbol(this.#symbol))
      if (error !== undefined) return [...calls, error, this.#doc(this.#symbol)]
      return [...calls, ...this.#described(this.#symbol, signatures)]
    }
    if (ts.isInterfaceDeclaration(declaration)) return [this.#doc(this.#symbol)]
    if (ts.isTypeAliasDeclaration(declaration)) {
      const written = isObject(declaration.type) ? '' : this.#oneLine(declaration.type.getText())
      return [written && `\`type ${this.#name} = ${written}\``, this.#doc(this.#symbol)]
    }
    const signatures = type.getCallSignatures()
    if (signatures.length === 0) {
      return [`\`${this.#name}: ${withoutArguments(this.#type(type))}\``, this.#doc(this.#symbol)]
    }
    if (this.#isPlugin(signatures)) return this.#plugin(signatures)
    return [...this.#signatures(this.#name, signatures), ...this.#described(this.#symbol, signatures)]
  }

  /** Whether a function takes an instance of Fastify and options. */
  #isPlugin ([signature]: readonly ts.Signature[]): boolean {
    const [instance, , third] = signature!.getParameters()
    if (instance === undefined || third !== undefined) return false
    return this.#checker.typeToString(this.#checker.getTypeOfSymbol(instance)).startsWith('FastifyInstance')
  }

  /** A plugin is registered, not called. */
  #plugin ([signature]: readonly ts.Signature[]): string[] {
    const options = this.#checker.getTypeOfSymbol(signature!.getParameters()[1]!)
    const members = this.#unlisted(options).map((member) => this.#item(this.#shown(member), member))
    const { text, errors, examples } = this.#tags(this.#symbol)
    const given = (options.flags & ts.TypeFlags.NonPrimitive) === 0 ? ', options' : ''
    const call = `\`fastify.register(${this.#name}${given})\``
    return [call, text, members.join('\n'), ...errors, ...examples]
  }

  /** The code and the status of a class of errors, whose constructor and members are those of all. */
  #errorOf (type: ts.Type): string | undefined {
    const [code, status] = ['code', 'statusCode'].map((name) => {
      const property = type.getProperty(name)
      return property && this.#checker.getTypeOfSymbol(property)
    })
    if (!code?.isStringLiteral() || !status?.isNumberLiteral()) return undefined
    return `Its code is \`${code.value}\`, its status ${status.value}.`
  }

  /** The properties of a class, of an interface or of an object type. */
  #tables (declaration: ts.Declaration): string[] {
    const isOptions = ts.isInterfaceDeclaration(declaration) ||
      (ts.isTypeAliasDeclaration(declaration) && isObject(declaration.type))
    if (!isOptions && !ts.isClassDeclaration(declaration)) return []
    const members = ownMembers(this.#checker.getDeclaredTypeOfSymbol(this.#symbol).getProperties(), false)
    if (isOptions) return [this.#table(asDeclared(members))]
    return [this.#table(members.filter((member) => !isMethod(member)))]
  }

  /** A part for each method of a class, static ones first. */
  #methods (declaration: ts.Declaration): Part[] {
    if (!ts.isClassDeclaration(declaration)) return []
    const statics = this.#checker.getTypeOfSymbol(this.#symbol).getProperties()
    const members = this.#checker.getDeclaredTypeOfSymbol(this.#symbol).getProperties()
    return [
      ...ownMembers(statics, true).filter(isMethod).map((method) => this.#method(method, `${this.#name}.`)),
      ...ownMembers(members, false).filter(isMethod).map((method) => this.#method(method, '')),
    ]
  }

  #method (method: ts.Symbol, prefix: string): Part {
    const signatures = this.#checker.getNonNullableType(this.#checker.getTypeOfSymbol(method)).getCallSignatures()
    return this.#part(`${this.#name}.${method.name}()`, () => [
      ...this.#signatures(prefix + method.name, signatures),
      ...this.#described(method, signatures),
    ])
  }

  #table (members: readonly ts.Symbol[]): string {
    if (members.length === 0) return ''
    const rows = members.flatMap((member) => this.#rows(member, ''))
    return `| Member | |\n|---|---|\n${rows.join('\n')}`
  }

  /** The row of a member. If its type is written as an object, the rows of that object's members follow. */
  #rows (member: ts.Symbol, prefix: string): string[] {
    const inner = membersOfLiteral(this.#checker, member)
    const shown = inner === undefined ? this.#shown(member) : memberName(member)
    const doc = escapeTags(this.#comment(member)).replace(/\s*\n\s*/g, ' ')
    return [
      `| \`${prefix}${shown.replaceAll('|', '\\|')}\` | ${doc.replaceAll('|', '\\|')} |`,
      ...(inner ?? []).flatMap((innermost) => this.#rows(innermost, `${prefix}${member.name}.`)),
    ]
  }

  /** A member with its type. */
  #shown (member: ts.Symbol): string {
    const type = this.#checker.getTypeOfSymbol(member)
    const [signature] = this.#checker.getNonNullableType(type).getCallSignatures()
    return signature !== undefined && isMethod(member)
      ? this.#signature(memberName(member), signature)
      : `${memberName(member)}: ${this.#type(type, member)}`
  }

  #signatures (name: string, signatures: readonly ts.Signature[]): string[] {
    return [...new Set(signatures.map((signature) => `\`${this.#signature(name, signature)}\``))]
  }

  #signature (name: string, signature: ts.Signature): string {
    const written = signature.declaration?.type?.getText()
    const result = written ?? this.#checker.typeToString(signature.getReturnType(), undefined, NO_TRUNCATION)
    return this.#oneLine(`${this.#call(name, signature)}: ${result}`)
  }

  #call (name: string, signature: ts.Signature): string {
    const parameters = signature.getParameters().map((parameter) => {
      const { isOptional, isRest } = formOf(parameter)
      return `${isRest ? '...' : ''}${nameOf(parameter)}${isOptional ? '?' : ''}`
    })
    return `${name}(${parameters.join(', ')})`
  }

  /** The docstring of something that is called: what it does, its arguments, its result, its errors, an example. */
  #described (symbol: ts.Symbol, signatures: readonly ts.Signature[]): string[] {
    const { text: first, returns, errors, examples } = this.#tags(symbol)
    const others = signatures.map((signature) =>
      escapeTags(ts.displayPartsToString(signature.getDocumentationComment(this.#checker)).trim())
    )
    // signatures may have docstrings of their own
    const text = new Set(others).size > 1 && !this.#isClass(symbol) ? [...new Set(others)].join('\n\n') : first
    return [text, this.#arguments(signatures), ...returns, ...errors, ...examples]
  }

  #isClass ({ flags }: ts.Symbol): boolean {
    return (flags & ts.SymbolFlags.Class) !== 0
  }

  /** A list of the arguments with their types. Those of several signatures are listed once. */
  #arguments (signatures: readonly ts.Signature[]): string {
    const [longest] = [...signatures].sort((a, b) => b.getParameters().length - a.getParameters().length)
    return longest!.getParameters().map((parameter) => {
      const { isOptional, isRest, type } = formOf(parameter)
      const ofType = this.#checker.getTypeOfSymbol(parameter)
      const written = this.#bound(ofType) ?? type?.getText() ??
        this.#checker.typeToString(ofType, undefined, NO_TRUNCATION)
      const shown = `${isRest ? '...' : ''}${nameOf(parameter)}${isOptional ? '?' : ''}: ${this.#oneLine(written)}`
      const members = this.#unlisted(ofType).map((member) => `\n  ${this.#item(this.#shown(member), member)}`)
      return this.#item(shown, parameter) + members.join('')
    }).join('\n')
  }

  /** The exported type that a type parameter extends. */
  #bound (type: ts.Type): string | undefined {
    if (!type.isTypeParameter()) return undefined
    const [declaration] = type.symbol.declarations ?? []
    const bound = declaration !== undefined && ts.isTypeParameterDeclaration(declaration) &&
      declaration.constraint?.getText()
    return bound && this.#exported(bound) ? bound : undefined
  }

  /** The members of options whose type is not exported, so that no page describes them. */
  #unlisted (type: ts.Type): readonly ts.Symbol[] {
    const options = this.#checker.getNonNullableType(type)
    const symbol = options.aliasSymbol ?? options.symbol
    if (options.isUnion() || symbol === undefined || this.#exported(symbol.name)) return []
    const [declaration] = symbol.declarations ?? []
    const isOptions = declaration !== undefined && /Options$/.test(symbol.name) &&
      !declaration.getSourceFile().fileName.includes('node_modules')
    return isOptions ? ownMembers(options.getProperties(), false) : []
  }

  #item (shown: string, symbol: ts.Symbol): string {
    const doc = escapeTags(this.#comment(symbol)).replace(/\s*\n\s*/g, ' ')
    return `- \`${shown}\`${doc && `: ${doc}`}`
  }

  /** The docstring, with its errors and examples. */
  #doc (symbol: ts.Symbol): string {
    const { text, errors, examples } = this.#tags(symbol)
    return [text, ...errors, ...examples].filter((part) => part !== '').join('\n\n')
  }

  #tags (symbol: ts.Symbol): Tags {
    const tags = symbol.getJsDocTags(this.#checker)
    const tagged = (name: string) =>
      tags.filter((tag) => tag.name === name).map((tag) => ts.displayPartsToString(tag.text).trim())
    return {
      text: escapeTags(this.#comment(symbol)),
      returns: tagged('returns').map((result) => `Returns ${escapeTags(sentence(result))}`),
      errors: tagged('throws').map((error) => `Throws ${escapeTags(sentence(error.replace(/\{(\w+)\}/g, '`$1`')))}`),
      examples: tagged('example').map((example) => `\`\`\`ts\n${example}\n\`\`\``),
    }
  }

  #comment (symbol: ts.Symbol): string {
    return ts.displayPartsToString(symbol.getDocumentationComment(this.#checker)).trim()
  }

  /** A type as its declaration writes it, or else as the checker prints it. */
  #type (type: ts.Type, symbol?: ts.Symbol): string {
    const declaration = symbol?.declarations?.[0]
    const written = declaration !== undefined && writtenType(declaration)
    if (written) return this.#oneLine(written)
    const printed = this.#checker.typeToString(type, undefined, NO_TRUNCATION)
    // of an option in a schema, whose name has a question mark if it may be missing
    if (declaration !== undefined && ts.isPropertyAssignment(declaration)) {
      return this.#oneLine(printed.replace(/ \| undefined$/, '').replaceAll('"', "'"))
    }
    return this.#oneLine(printed)
  }

  #oneLine (text: string): string {
    const line = text
      .replace(/\/\*[^]*?\*\//g, '')
      .replace(/import\("[^"]*"\)\./g, '')
      .replace(/\s+/g, ' ')
      // the first member of a union that has a line for each
      .replace(/(^|[=(:<?] ?)\| /g, '$1')
      .replaceAll('`', "'")
    this.#types.push(line)
    return line.length > MAX_TYPE ? `${line.slice(0, MAX_TYPE - 4).trimEnd()} ...` : line
  }
}

interface Tags {
  readonly text: string
  readonly returns: readonly string[]
  readonly errors: readonly string[]
  readonly examples: readonly string[]
}

const NO_TRUNCATION = ts.TypeFormatFlags.NoTruncation

const sentence = (text: string): string => /[.!?]$/.test(text) ? text : `${text}.`

/** How a parameter is declared. */
function formOf ({ valueDeclaration: declaration }: ts.Symbol) {
  if (declaration === undefined || !ts.isParameter(declaration)) return { isOptional: false, isRest: false }
  return {
    isOptional: declaration.questionToken !== undefined || declaration.initializer !== undefined,
    isRest: declaration.dotDotDotToken !== undefined,
    type: declaration.type,
  }
}

/** A type that was cut, without its arguments. */
const withoutArguments = (type: string): string => type.endsWith(' ...') ? type.replace(/<.*$/, '<...>') : type

const memberName = ({ name, flags }: ts.Symbol): string => `${name}${flags & ts.SymbolFlags.Optional ? '?' : ''}`

/** The name of a parameter. One that is taken apart has the name of what it mostly is. */
const nameOf = ({ name }: ts.Symbol): string => name.startsWith('__') ? 'options' : name

/** Keeps Markdown from reading `<name>` as HTML. */
const escapeTags = (text: string): string =>
  text.split(/(`[^`]*`)/).map((part) => part.startsWith('`') ? part : part.replaceAll('<', '&lt;')).join('')
