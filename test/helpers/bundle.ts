/** Bundles for browsers, as the build of an application makes them. */
import path from 'node:path'
import { build, type Metafile } from 'esbuild'

const root = path.resolve(import.meta.dirname, '../..')

export interface Bundle {
  readonly text: string
  /** The modules of the bundle, from the root of the repository. */
  readonly modules: readonly string[]
}

/** A module and all its imports, minified. A module that exists only in Node is an error. */
export async function bundle (entry: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    entryPoints: [path.join(root, entry)], absWorkingDir: root, bundle: true, minify: true, write: false,
    metafile: true, format: 'esm', platform: 'browser', target: 'es2022', logLevel: 'silent',
  })
  return { text: outputFiles[0]!.text, modules: modulesOf(metafile) }
}

function modulesOf ({ inputs, outputs }: Metafile): string[] {
  const outside = Object.values(outputs).flatMap(({ imports }) => imports.map(({ path }) => path))
  return [...Object.keys(inputs), ...outside].sort()
}
