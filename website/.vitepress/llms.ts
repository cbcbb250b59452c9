/** llms.txt, a list of the pages for language models (llmstxt.org), and llms-full.txt, the text of all pages. */
import fs from 'node:fs/promises'
import path from 'node:path'
import type { Section } from './sections.ts'

interface LlmsOptions {
  readonly docs: string
  readonly outDir: string
  readonly sections: readonly Section[]
}

export async function writeLlmsFiles ({ docs, outDir, sections }: LlmsOptions): Promise<void> {
  const summary = '# fastify-crud-kit\n\n> Declare a MikroORM entity and a whitelist, get a REST resource at the ' +
    'speed of hand-written SQL.\n'
  const inside = sections
    .map(({ title, pages }) => ({ title, pages: pages.filter(({ link }) => !/^(?:\.\.|\w+:)/.test(link)) }))
    .filter(({ pages }) => pages.length > 0)
  const list = inside.map(({ title, pages }) => {
    const items = pages.map(({ title, link, description }) => `- [${title}](/${link}): ${description}\n`)
    return `\n## ${title}\n\n${items.join('')}`
  })
  await fs.writeFile(path.join(outDir, 'llms.txt'), summary + list.join(''))

  // each page as Markdown, at the address that llms.txt names
  const files = await Array.fromAsync(fs.glob('**/*.md', { cwd: docs }))
  const texts: string[] = []
  for (const file of files.sort()) {
    const text = await fs.readFile(path.join(docs, file), 'utf8')
    await fs.mkdir(path.dirname(path.join(outDir, file)), { recursive: true })
    await fs.writeFile(path.join(outDir, file), text)
    texts.push(`<!-- ${file} -->\n\n${text}`)
  }
  await fs.writeFile(path.join(outDir, 'llms-full.txt'), texts.join('\n'))
}
