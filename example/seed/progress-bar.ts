const WIDTH = 40

/** Draws the progress: a bar on a terminal, otherwise a line for each tenth of `total`. */
export function progressBar (total: number, out: NodeJS.WriteStream = process.stdout): (done: number) => void {
  let tenth = 0
  return (done) => {
    const part = total === 0 ? 1 : done / total
    const text = `${Math.floor(part * 100)} %  ${done.toLocaleString('en')} of ${total.toLocaleString('en')}`
    if (out.isTTY) {
      const filled = Math.round(part * WIDTH)
      out.write(`\r${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${text}${part === 1 ? '\n' : ''}`)
    } else if (Math.floor(part * 10) > tenth) {
      tenth = Math.floor(part * 10)
      out.write(`${text}\n`)
    }
  }
}
