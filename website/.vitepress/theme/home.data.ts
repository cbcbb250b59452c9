/** The sections of website/home.md that the home page shows, as HTML with highlighted code. */
import fs from 'node:fs'
import path from 'node:path'
import { createMarkdownRenderer, type SiteConfig } from 'vitepress'

const FILE = path.resolve(import.meta.dirname, '../../home.md')

/** The headings of the sections, by the names that the page has for them. */
const SECTIONS = {
  program: 'An entity and a whitelist',
  request: 'The request',
  statement: 'The statement',
  answer: 'The answer',
  commands: 'Two commands',
} as const

type HomeData = { readonly [Name in keyof typeof SECTIONS]: string }

declare const data: HomeData
export { data }

export default {
  watch: FILE,
  async load (): Promise<HomeData> {
    const { VITEPRESS_CONFIG: config } = globalThis as unknown as { readonly VITEPRESS_CONFIG: SiteConfig }
    const renderer = await createMarkdownRenderer(config.srcDir, config.markdown, config.site.base)
    const sections = new Map(
      fs.readFileSync(FILE, 'utf8').split(/^## /m).slice(1).map((section) => {
        const [heading = '', ...lines] = section.split('\n')
        return [heading, lines.join('\n')] as const
      })
    )
    const rendered = Object.entries(SECTIONS).map(([name, heading]) => {
      const text = sections.get(heading)
      if (text === undefined) throw new Error(`website/home.md has no section '${heading}'`)
      return [name, renderer.render(text, { path: FILE, relativePath: 'home.md', cleanUrls: true })] as const
    })
    return Object.fromEntries(rendered) as HomeData
  },
}
