// Stops a too old Node with a sentence instead of a syntax error. Plain
// JavaScript on purpose: it has to run where TypeScript does not.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(`Node ${process.version} is too old: running TypeScript directly needs 22.18 or newer.
The development dependency "node" brings a newer one. It is missing when npm ci ran with --ignore-scripts or --omit=dev.`)
  process.exit(1)
}
