/** The file that keeps the surface of an application: JSON, sorted, with lists that fill their lines. */
import fs from 'node:fs/promises'
import { isObject } from '../../base/is-object.ts'
import { CommandFailure } from '../surroundings.ts'
import { cannot } from '../write-files.ts'
import type { Surface } from './surface.ts'

const FORMAT = 1
const WIDTH = 120

/** The text of the file. */
export const lockText = (surface: Surface): string => `${written({ format: FORMAT, resources: surface }, '')}\n`

function written (value: unknown, indent: string): string {
  const inner = `${indent}  `
  if (Array.isArray(value)) return listText([...value].sort().map((item) => JSON.stringify(item)), indent)
  if (!isObject(value)) return JSON.stringify(value)
  const names = Object.keys(value)
  // the parts of a role keep their order, which goes from what is asked first to limits
  const members = names.map((name) => `${JSON.stringify(name)}: ${written((value as never)[name], inner)}`)
  if (names.every((name) => !isObject((value as never)[name]) && !Array.isArray((value as never)[name]))) {
    const line = `{ ${members.join(', ')} }`
    if (indent.length + line.length <= WIDTH) return line
  }
  return `{\n${members.map((member) => `${inner}${member}`).join(',\n')}\n${indent}}`
}

function listText (items: readonly string[], indent: string): string {
  const line = `[${items.join(', ')}]`
  if (indent.length + line.length <= WIDTH - 20) return line
  const lines: string[] = []
  for (const item of items) {
    const longer = lines.length === 0 ? undefined : `${lines.at(-1)!} ${item},`
    if (longer !== undefined && longer.length <= WIDTH) lines[lines.length - 1] = longer
    else lines.push(`${indent}  ${item},`)
  }
  return `[\n${lines.join('\n').slice(0, -1)}\n${indent}]`
}

/**
 * Reads the surface in a file. `undefined` if there is no file.
 *
 * @throws {CommandFailure} for a file that `check` has not written
 */
export async function readLock (file: string): Promise<Surface | undefined> {
  let text: string
  try {
    text = await fs.readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw cannot('read', file, error as NodeJS.ErrnoException)
  }
  const resources = resourcesIn(text)
  if (resources === undefined) {
    throw new CommandFailure(`${file} is not a file that this version of check has written. Write it with --update.`)
  }
  return resources
}

function resourcesIn (text: string): Surface | undefined {
  let lock: unknown
  try {
    lock = JSON.parse(text)
  } catch {
    return undefined
  }
  const { format, resources }: { format?: unknown, resources?: unknown } = isObject(lock) ? lock : {}
  const isSurface = format === FORMAT && isObject(resources) && Object.values(resources).every((roles) =>
    isObject(roles) && Object.values(roles).every((role) => isObject(role))
  )
  return isSurface ? resources as Surface : undefined
}

/** Writes the file as a whole, or not at all. */
export async function writeLock (file: string, surface: Surface): Promise<void> {
  const temporary = `${file}.${process.pid}`
  try {
    await fs.writeFile(temporary, lockText(surface))
    await fs.rename(temporary, file)
  } catch (error) {
    await fs.rm(temporary, { force: true })
    throw cannot('write', file, error as NodeJS.ErrnoException)
  }
}
