/** Bundles the package's JavaScript to `dist`, beside the declarations of types. */
import path from 'node:path'
import { bundle } from './bundle.ts'

await bundle(path.join(import.meta.dirname, '../dist'))
