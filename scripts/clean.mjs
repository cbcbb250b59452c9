// Empties dist/ so that a build never ships a file whose source is gone.
import fs from 'node:fs'

fs.rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true })
