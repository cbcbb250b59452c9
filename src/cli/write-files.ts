/** Writes files that do not exist yet: all of them, or none. It never changes a file. */
import fs from 'node:fs'
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
 * Writes those files that do not exist. If one of them cannot be written, none is. It waits for each file, so that
 * Ctrl-C cannot come between them.
 *
 * @throws {CommandFailure} if a file or folder cannot be written or read
 */
export function writeNewFiles (folder: string, files: readonly NewFile[]): readonly WrittenFile[] {
  const made: string[] = []
  try {
    return files.map((file) => ({ ...file, before: writeOrRead(path.join(folder, file.path), file.text, made) }))
  } catch (error) {
    for (const one of made.reverse()) {
      if (fs.statSync(one).isDirectory()) fs.rmdirSync(one)
      else fs.rmSync(one)
    }
    throw error
  }
}

/** @param made gets the file and its folders, as soon as they are there */
function writeOrRead (file: string, text: string, made: string[]): string | undefined {
  try {
    makeFolder(path.dirname(file), made)
    const descriptor = fs.openSync(file, 'wx')
    made.push(file)
    try {
      fs.writeFileSync(descriptor, text)
    } finally {
      fs.closeSync(descriptor)
    }
    return undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw cannot('write', file, error as NodeJS.ErrnoException)
  }
  try {
    // Git on Windows gives lines other ends
    return fs.readFileSync(file, 'utf8').replaceAll('\r\n', '\n')
  } catch (error) {
    throw cannot('read', file, error as NodeJS.ErrnoException)
  }
}

/**
 * Makes a folder, and those above it. The option `recursive` of Node.js would try again for ever where the system makes
 * no folders, such as in /proc.
 */
function makeFolder (folder: string, made: string[]): void {
  if (fs.existsSync(folder)) return
  makeFolder(path.dirname(folder), made)
  fs.mkdirSync(folder)
  made.push(folder)
}

/** A failure that says which file could not be used, and why: `permission denied`. */
export function cannot (verb: 'read' | 'write', file: string, cause: NodeJS.ErrnoException): CommandFailure {
  const [, reason] = getSystemErrorMap().get(cause.errno ?? 0) ?? []
  return new CommandFailure(`Cannot ${verb} ${file}: ${reason ?? cause.message}.`, 1, { cause })
}
