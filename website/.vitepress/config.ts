/** The site over docs/. Its navigation is the list of pages in docs/README.md. */
import path from 'node:path'
import { defineConfig } from 'vitepress'
import { checkAnchors } from './check-anchors.ts'
import { resolveLink, resolvePicture, slugOf } from './links.ts'
import { writeLlmsFiles } from './llms.ts'
import { readSections } from './sections.ts'

const REPOSITORY = 'https://github.com/fastify-crud-kit/fastify-crud-kit'
const website = path.resolve(import.meta.dirname, '..')
const docs = path.resolve(website, '../docs')
const sections = readSections(docs)

/** The sections of the list of pages to which the top of each page leads. */
const NAVIGATION = ['Start', 'Recipes', 'Concepts', 'Query language', 'Reference', 'API reference']

export default defineConfig({
  title: 'fastify-crud-kit',
  description: 'Declare a MikroORM entity and a whitelist, get a REST resource at the speed of hand-written SQL.',
  lang: 'en',
  srcDir: docs,
  outDir: path.join(website, 'dist'),
  cacheDir: path.join(website, '.vitepress/cache'),
  // a folder's README.md is its first page
  rewrites: (id) => id.replace(/(^|\/)README\.md$/, '$1index.md'),
  cleanUrls: true,
  // the list of all pages stands below the screen of theme/Home.vue
  transformPageData: (page) => page.relativePath === 'index.md' ? { frontmatter: { layout: 'home' } } : undefined,
  markdown: {
    // the pages are plain Markdown, as GitHub shows it: <name> is text
    html: false,
    anchor: { slugify: slugOf },
    toc: { slugify: slugOf },
    headers: { slugify: slugOf },
    config: (md) => {
      md.core.ruler.push('links', ({ tokens, env }) => {
        const page = (env as { relativePath: string }).relativePath
        // the heading of the home page is that of theme/Home.vue
        if (page === 'index.md') {
          for (const token of tokens.filter(({ tag }) => tag === 'h1')) token.tag = 'h2'
        }
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const [target, source] = [token.attrGet('href'), token.attrGet('src')]
          if (target !== null) token.attrSet('href', resolveLink(page, target, REPOSITORY))
          if (source !== null) token.attrSet('src', resolvePicture(page, source, REPOSITORY))
        }
      })
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    nav: NAVIGATION.map((text) => ({ text, link: `/#${slugOf(text)}` })),
    outline: [2, 3],
    sidebar: sections.map(({ title, pages }) => ({
      text: title,
      // the section of the page opens by itself
      collapsed: !['Start', 'Recipes'].includes(title),
      items: pages.map(({ title, link }) => ({ text: title, link: resolveLink('index.md', link, REPOSITORY) })),
    })),
    socialLinks: [{ icon: 'github', link: REPOSITORY }],
  },
  vite: {
    // the settings of the repository are for Node, not for the site
    esbuild: { tsconfigRaw: { compilerOptions: {} } },
    publicDir: path.join(website, 'public'),
    // Node loads Vue itself while the pages are rendered. Vite would look for it in docs/, which has no node_modules
    ssr: { external: ['vue', 'vue/server-renderer'] },
    plugins: [{
      name: 'packages-of-the-website',
      enforce: 'pre',
      async resolveId (source, importer, options) {
        if (importer?.startsWith(docs) !== true || !/^[@\w]/.test(source)) return null
        if (options.ssr === true) return { id: source, external: true }
        return await this.resolve(source, path.join(website, 'package.json'), { ...options, skipSelf: true })
      },
    }],
    server: { fs: { allow: ['../..'] } },
  },
  buildEnd: async ({ outDir }) => {
    await writeLlmsFiles({ docs, outDir, sections })
    await checkAnchors(outDir)
  },
})
