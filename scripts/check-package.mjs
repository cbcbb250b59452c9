/**
 * npm run package:check: looks at the packed package as npm, bundlers, TypeScript and readers will. publint checks
 * package.json and the files it names, arethetypeswrong the types of each entry. Links of its pages lead to files that
 * it has. Run `npm run build` before.
 */
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

/** The package has ES modules only, which CommonJS can require since Node 22.12. Older resolution has no subpaths. */
const ACCEPTED = new Set(['CJSResolvesToESM', 'NoResolution:node10', 'NoResolution:css'])

const root = path.join(import.meta.dirname, '..')
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'crud-kit-package-'))
try {
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const [{ filename, files }] = JSON.parse(execFileSync('npm', pack, { cwd: root, encoding: 'utf8' }))
  const tarball = new Uint8Array(fs.readFileSync(path.join(folder, filename)))
  const problems = [...await lint(tarball), ...await typeProblems(tarball), ...deadLinks(files), ...changelog()]
  for (const problem of problems) console.error(problem)
  console.log(problems.length === 0 ? `${filename} has no problems` : `${filename} has ${problems.length} problems`)
  process.exitCode = problems.length === 0 ? 0 : 1
} finally {
  fs.rmSync(folder, { recursive: true })
}

async function lint (tarball) {
  const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true })
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`)
}

async function typeProblems (tarball) {
  const analysis = await checkPackage(createPackageFromTarballData(tarball))
  if (analysis.types === false) return ['arethetypeswrong: the package has no types']
  return analysis.problems
    .filter(({ kind, resolutionKind }) => !ACCEPTED.has(kind) && !ACCEPTED.has(`${kind}:${resolutionKind}`))
    .map((problem) => `arethetypeswrong: ${JSON.stringify(problem)}`)
}

function changelog () {
  const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'))
  const text = fs.readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8')
  return text.includes(`\n## ${version}\n`) ? [] : [`CHANGELOG.md has no section for ${version}.`]
}

function deadLinks (files) {
  const names = new Set(files.map((file) => file.path))
  return [...names].filter((name) => name.endsWith('.md')).flatMap((page) => {
    const text = fs.readFileSync(path.join(root, page), 'utf8')
    return [...text.matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g), ...text.matchAll(/^\[[^\]]+\]: (?!\w+:)([^#\s]+)/gm)]
      .filter(([, link]) => !names.has(path.posix.join(path.posix.dirname(page), link)))
      .map(([, link]) => `${page}: the package has no ${link}. Link to its address in the repository instead.`)
  })
}
