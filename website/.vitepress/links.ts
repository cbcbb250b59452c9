/** Links of the pages, which are written for GitHub, as links of the site. */
import path from 'node:path'

/** The anchor of a heading, as GitHub makes it. */
export const slugOf = (heading: string): string =>
  heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')

/**
 * The target of a link in a page of docs/. README.md of a folder is its index. Files outside of docs/ are on GitHub.
 *
 * @param page the path of the page from docs/
 */
export function resolveLink (page: string, target: string, repository: string): string {
  if (/^(?:\w+:|#|\/)/.test(target)) return target
  const [file = '', anchor] = target.split('#')
  const hash = anchor === undefined ? '' : `#${anchor}`
  const from = path.posix.join('docs', path.posix.dirname(page), file)
  if (!from.startsWith('docs/')) return `${repository}/blob/main/${from}${hash}`
  if (!from.endsWith('.md')) return target
  return `/${from.slice('docs/'.length).replace(/(^|\/)README\.md$/, '$1').replace(/\.md$/, '')}${hash}`
}

/**
 * The source of a picture in a page of docs/. The pages name pictures by their address in the repository, because the
 * package does not have them. The site has its own copies.
 *
 * @param page the path of the page from docs/
 */
export function resolvePicture (page: string, source: string, repository: string): string {
  const raw = `${repository}/raw/main/`
  if (!source.startsWith(raw)) return source
  return path.posix.relative(path.posix.join('docs', path.posix.dirname(page)), source.slice(raw.length))
    .replace(/^(?!\.)/, './')
}
