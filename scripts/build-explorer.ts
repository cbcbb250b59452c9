/** npm run build:explorer: builds the explorer's page. With `--if-stale`, only if a source is newer than the page. */
import { buildExplorer, buildStaleExplorer } from './explorer/build.ts'

await (process.argv.includes('--if-stale') ? buildStaleExplorer() : buildExplorer())
