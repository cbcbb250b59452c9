/** The members of an export that its page shows. */
import ts from 'typescript'

/** The type that a declaration writes: of a property, or of an option in a schema, by `Type.Unsafe<...>`. */
export function writtenType (declaration: ts.Declaration): string | undefined {
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

/** The members of a property whose type is written as an object with docstrings. */
export function membersOfLiteral (checker: ts.TypeChecker, member: ts.Symbol): readonly ts.Symbol[] | undefined {
  const [declaration] = member.declarations ?? []
  if (declaration === undefined || !ts.isPropertySignature(declaration) || declaration.type === undefined) {
    return undefined
  }
  if (!isObject(declaration.type)) return undefined
  const members = checker.getTypeFromTypeNode(declaration.type).getProperties()
  return members.some((inner) => inner.getDocumentationComment(checker).length > 0) ? members : undefined
}

/** Members of an interface and then those of a schema, in the order of the schema. Mapped types have another order. */
export function asDeclared (members: readonly ts.Symbol[]): readonly ts.Symbol[] {
  const place = ({ declarations }: ts.Symbol) =>
    ts.isPropertyAssignment(declarations![0]!) ? declarations![0]!.pos + 1 : 0
  return [...members].sort((a, b) => place(a) - place(b))
}

/** Whether a type is written as an object, whose members get a table. */
export const isObject = (node: ts.TypeNode): boolean => ts.isTypeLiteralNode(node)

export const isMethod = ({ flags }: ts.Symbol): boolean => (flags & ts.SymbolFlags.Method) !== 0

/** Members that the package declares and documents as public. */
export function ownMembers (symbols: readonly ts.Symbol[], isStatic: boolean): ts.Symbol[] {
  return symbols.filter((symbol) => {
    const [declaration] = symbol.declarations ?? []
    if (declaration === undefined || declaration.getSourceFile().fileName.includes('node_modules')) return false
    // of a class that a function makes, such as the base of all errors
    if (ts.isClassExpression(declaration.parent)) return false
    const modifiers = ts.getCombinedModifierFlags(declaration)
    if (modifiers & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) return false
    if (isStatic !== !!(modifiers & ts.ModifierFlags.Static)) return false
    return symbol.name !== 'prototype' && !symbol.name.startsWith('#') && !symbol.name.startsWith('~') &&
      !ts.getJSDocTags(declaration).some((tag) => tag.tagName.text === 'internal')
  })
}
