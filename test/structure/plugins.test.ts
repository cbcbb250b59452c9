/** Each file of plugins/ is a Fastify plugin in the usual form, and can be loaded as a folder by @fastify/autoload. */
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'

const folder = path.join(import.meta.dirname, '../../plugins')
const files = fs.readdirSync(folder).sort()

interface Meta {
  readonly name: string
  readonly fastify: string
  readonly dependencies?: readonly string[]
}

const plugins = await Promise.all(files.map(async (file) => {
  const module = await import(pathToFileURL(path.join(folder, file)).href)
  const text = fs.readFileSync(path.join(folder, file), 'utf8')
  return { file, module, text, meta: module.default?.[Symbol.for('plugin-meta')] as Meta | undefined }
}))

t.test('every file has a plugin as its default export, under the name of the file', async (t) => {
  t.ok(files.length > 5, 'files are found')
  for (const { file, module, meta } of plugins) {
    t.type(module.default, 'function', file)
    const name = path.basename(file, '.ts')
    t.equal(meta?.name, name === 'crud-kit' ? 'fastify-crud-kit' : `fastify-crud-kit/${name}`)
    t.equal(module.default[Symbol.for('fastify.display-name')], meta?.name, 'which printPlugins shows')
  }
})

t.test('all plugins support the same versions of Fastify', async (t) => {
  t.equal(new Set(plugins.map(({ meta }) => meta?.fastify)).size, 1)
})

t.test('their dependencies are plugins of the folder', async (t) => {
  const names = plugins.map(({ meta }) => meta?.name)
  const dependencies = plugins.flatMap(({ meta }) => meta?.dependencies ?? [])
  t.ok(dependencies.length > 0)
  for (const dependency of dependencies) t.ok(names.includes(dependency), dependency)
})

t.test('a plugin declares its decorators', async (t) => {
  for (const { file, text } of plugins) {
    for (const [, kind, name] of text.matchAll(/\.(decorate|decorateRequest|decorateReply)\('(\w+)'/g)) {
      const holder = { decorate: 'FastifyInstance', decorateRequest: 'FastifyRequest', decorateReply: 'FastifyReply' }
      const declared = /declare module 'fastify' \{\n([^]*?)\n\}/.exec(text)?.[1] ?? ''
      t.match(declared, `interface ${holder[kind as keyof typeof holder]}`, file)
      t.match(declared, `readonly ${name}:`, file)
    }
  }
})

t.test('every file starts with a sentence about its plugin', async (t) => {
  for (const { file, text } of plugins) t.match(text, /^\/\*\*[ \n]/, file)
})
