// Refuses an outdated Node with a message instead of a syntax error. It is plain JavaScript, so that it runs on
// versions that cannot run TypeScript.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(`Node ${process.version} is too old: running TypeScript directly needs 22.18 or newer.
The development dependency "node" brings a newer one. It is missing if npm ci ran
with --ignore-scripts or --omit=dev.`)
  process.exit(1)
}
