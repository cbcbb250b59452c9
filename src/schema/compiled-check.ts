/**
 * Checks values against TypeBox schemas. TypeBox compiles a schema to a function, once, when it is first needed. Its
 * compiler is loaded in the background at the first check of a process, so that servers do not pay for it at start-up.
 * Until then, and in processes that must not generate code, TypeBox interprets the schema, with the same result.
 */
import type { TSchema } from '@sinclair/typebox'
import type { TypeCompiler } from '@sinclair/typebox/compiler'
import { Errors } from '@sinclair/typebox/errors'

export type Check = (value: unknown) => boolean

/** The compiler, when it has been loaded. */
let compiler: typeof TypeCompiler | undefined
let loading: Promise<void> | undefined
/** Whether the process generates no code, because of `--disallow-code-generation-from-strings` or a policy. */
let interprets = false

/** Loads the compiler. Checks work without it, and are faster with it. */
export async function loadCompiler (): Promise<void> {
  loading ??= import('@sinclair/typebox/compiler').then((module) => {
    compiler = module.TypeCompiler
  }, () => {
    interprets = true
  })
  await loading
}

/** A function that checks values against a schema. */
export function checkOf (schema: TSchema): Check {
  let compiled: Check | undefined
  return (value) => {
    compiled ??= compile(schema)
    return compiled === undefined ? interpret(schema, value) : compiled(value)
  }
}

/** The compiled check of a schema, or `undefined` as long as there is no compiler. */
function compile (schema: TSchema): Check | undefined {
  if (interprets) return undefined
  if (compiler === undefined) {
    loadCompiler()
    return undefined
  }
  try {
    const check = compiler.Compile(schema)
    return (value) => check.Check(value)
  } catch (error) {
    if (!(error instanceof EvalError)) throw error
    interprets = true
    return undefined
  }
}

const interpret = (schema: TSchema, value: unknown): boolean => Errors(schema, value).First() === undefined
