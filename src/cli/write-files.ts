/** Writes files that do not exist yet. It never changes a file. */
import fs from 'node:fs/promises'
import path from 'node:path'
import { getSystemErrorMap } from 'node:util'
import { CommandFailure } from './surroundings.ts'

export interface NewFile {
  /** From the folder, with slashes. */
  readonly path: string
  readonly text: string
}

export interface WrittenFile extends NewFile {
  /** What was in its place before: nothing, the same text, or another text. */
  readonly before: string | undefined
}

/**
 * Writes those files that do not exist.
 *
 * @throws {CommandFailure} if a file or folder cannot be written or read
 */
export async function writeNewFiles (folder: string, files: readonly NewFile[]): Promise<readonly WrittenFile[]> {
  const written: WrittenFile[] = []
  for (const file of files) {
    written.push({ ...file, before: await writeOrRead(path.join(folder, file.path), file.text) })
  }
  return written
}

async function writeOrRead (file: string, text: string): Promise<string | undefined> {
  try {
    await fs.mkdir(path.dirname(file), { recursive: true })
    await fs.writeFile(file, text, { flag: 'wx' })
    return undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw cannot('write', file, error as NodeJS.ErrnoException)
  }
  try {
    return await fs.readFile(file, 'utf8')
  } catch (error) {
    throw cannot('read', file, error as NodeJS.ErrnoException)
  }
}

/** A failure that says which file could not be used, and why: `permission denied`. */
export function cannot (verb: 'read' | 'write', file: string, cause: NodeJS.ErrnoException): CommandFailure {
  const [, reason] = getSystemErrorMap().get(cause.errno ?? 0) ?? []
  return new CommandFailure(`Cannot ${verb} ${file}: ${reason ?? cause.message}.`, 1, { cause })
}
