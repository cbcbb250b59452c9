/** Checks another commit of this project out, so that the benchmark can run its generated routes. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

interface OtherCheckout {
  readonly folder: string
  /** The abbreviated name of the commit. */
  readonly commit: string
  /** Removes the checkout. It is safe to call it twice, and when the process exits. */
  readonly remove: () => void
}

/**
 * Makes a temporary worktree. It shares the installed packages of `root` if both have the same package-lock.json.
 * Otherwise they are installed.
 *
 * @param root the folder of this checkout
 * @param name of a commit, such as `HEAD~10`
 * @throws Error if there is no such commit
 */
export function checkOut (root: string, name: string): OtherCheckout {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim()
  let commit: string
  try {
    commit = git('rev-parse', '--verify', '--short', '--end-of-options', `${name}^{commit}`)
  } catch {
    throw new Error(`--compare needs the name of a commit, such as HEAD~10; git does not know '${name}'`)
  }
  const parent = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-compare-'))
  const folder = path.join(parent, commit)
  const remove = () => {
    if (fs.existsSync(folder)) git('worktree', 'remove', '--force', folder)
    fs.rmSync(parent, { recursive: true, force: true })
  }
  try {
    git('worktree', 'add', '--detach', folder, commit)
    if (lockFile(folder) === lockFile(root)) {
      fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
    } else {
      execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
        cwd: folder,
        stdio: ['ignore', 'ignore', 'inherit'],
      })
    }
  } catch (error) {
    remove()
    throw error
  }
  return { folder, commit, remove }
}

const lockFile = (folder: string): string => fs.readFileSync(path.join(folder, 'package-lock.json'), 'utf8')
