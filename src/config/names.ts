/** Checks the names of properties and the names in a URL, and says why one is refused. */
import { ConfigError } from '../base/errors.ts'
import { shown } from '../base/option-checks.ts'

/** Names that are never used as a key of an object, wherever they come from. */
const RESERVED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Refuses anything but the path of a property: `name`, `author.name`. `what` is the beginning of the error's message.
 */
export function checkPath (what: string, path: unknown): asserts path is string {
  if (typeof path !== 'string' || path === '') {
    throw new ConfigError(`${what}: a property is named by a non-empty string, got ${shown(path)}`)
  }
  if (/^[+-]/.test(path)) {
    throw new ConfigError(`${what}: '${path}' starts with '${path[0]}', which cannot be part of a property's name`)
  }
  checkParts(what, path)
}

/** Refuses names that can't be written in a query string. `role` describes the name in the message: `alias`, `name`. */
export function checkUrlName (what: string, role: string, name: unknown): asserts name is string {
  if (typeof name !== 'string' || name === '') {
    throw new ConfigError(`${what}: ${role} must be a non-empty string, got ${shown(name)}`)
  }
  const problem = urlProblem(name)
  if (problem !== undefined) throw new ConfigError(`${what}: ${role} '${name}' ${problem}`)
  checkParts(what, name)
}

function urlProblem (name: string): string | undefined {
  if (/[[\]]/.test(name)) return 'holds a bracket, which separates names in a query string'
  if (name.includes(',')) return 'holds a comma, which separates names in a query string'
  if (/^[+-]/.test(name)) return `starts with '${name[0]}', which is a direction in a query string`
  if (/[\s\p{Cc}]/u.test(name)) return 'holds white space or a control character'
  return undefined
}

function checkParts (what: string, path: string): void {
  for (const part of path.split('.')) {
    if (part === '') throw new ConfigError(`${what}: '${path}' has an empty part: a dot stands between two names`)
    if (RESERVED.has(part)) throw new ConfigError(`${what}: '${part}' is a reserved name`)
  }
}
