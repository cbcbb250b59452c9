/** The list of pages in docs/README.md: sections of links with descriptions. */
import fs from 'node:fs'
import path from 'node:path'

export interface Page {
  readonly title: string
  /** A path from docs/, perhaps out of it, or an address. */
  readonly link: string
  readonly description: string
}

export interface Section {
  readonly title: string
  readonly pages: readonly Page[]
}

/** @throws if a section has no pages, or an item is not a link with a description */
export function readSections (docs: string): Section[] {
  const text = fs.readFileSync(path.join(docs, 'README.md'), 'utf8')
  return text.split(/^## /m).slice(1).map((section) => {
    const [title = '', ...rest] = section.split('\n')
    const pages = rest.join('\n').split(/^- /m).slice(1).map((item) => {
      // a blank line ends the description: what follows is a text between two lists
      const [text = ''] = item.split('\n\n', 1)
      const [, title = '', link = '', description = ''] = /^\[([^\]]+)\]\(([^)]+)\): ([^]*)$/.exec(text) ?? []
      if (link === '') throw new Error(`docs/README.md has an item that is no link with a description: ${item}`)
      return {
        title,
        link,
        description: description.replace(/\s+/g, ' ').replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').trim(),
      }
    })
    if (pages.length === 0) throw new Error(`docs/README.md has no pages under '${title}'`)
    return { title, pages }
  })
}
