/** VitePress checks that linked pages exist. This checks the headings that links lead to. */
import fs from 'node:fs/promises'
import path from 'node:path'

/** @throws if a link of the built site leads to a heading that its page does not have */
export async function checkAnchors (outDir: string): Promise<void> {
  const files = await Array.fromAsync(fs.glob('**/*.html', { cwd: outDir }))
  const pages = new Map<string, string>()
  for (const file of files) {
    const address = `/${file.replace(/\.html$/, '').replace(/(^|\/)index$/, '$1')}`
    pages.set(address, await fs.readFile(path.join(outDir, file), 'utf8'))
  }
  const broken: string[] = []
  let count = 0
  for (const [address, html] of pages) {
    for (const [, href = ''] of html.matchAll(/ href="([^"]*#[^"]+)"/g)) {
      if (/^\w+:/.test(href)) continue
      const { pathname, hash } = new URL(href, `http://site${address}`)
      const target = pages.get(pathname)
      const id = decodeURIComponent(hash.slice(1))
      count++
      if (id !== 'VPContent' && target?.includes(`id="${id}"`) !== true) broken.push(`${address}: ${href}`)
    }
  }
  if (count === 0) throw new Error('The built site has no links to headings.')
  if (broken.length > 0) throw new Error(`Links to headings that do not exist:\n${broken.join('\n')}`)
}
