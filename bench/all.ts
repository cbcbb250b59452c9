/** npm run bench -- --all: makes all saved pages, one after the other, each in a process of its own. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const PARTS = [['--peers'], ['--growth'], ['--worst'], ...process.env['CITUS_URL'] ? [['--distributed']] : []]

for (const part of PARTS) {
  execFileSync(process.execPath, [fileURLToPath(new URL('run.ts', import.meta.url)), ...part, '--save'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
