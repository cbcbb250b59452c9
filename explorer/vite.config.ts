/** Builds the explorer's page to `dist/explorer`: files with hashed names, and nothing inline. */
import path from 'node:path'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  // the page works below every prefix
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: path.resolve(import.meta.dirname, '../dist/explorer'),
    emptyOutDir: true,
    target: 'es2023',
    // the Content-Security-Policy allows no data: URLs but those of images
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
