/** Runs a variant in a separate process. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import type { StartOptions } from './pool.ts'
import type { ServerCommand, ServerMessage } from './server.ts'
import type { ServerName, Variant, VariantName } from './variants.ts'

/** Processes that still run. They end before PostgreSQL does, because they would complain about its end. */
const running = new Set<ChildProcess>()
process.prependOnceListener('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export class ServerProcess {
  readonly port: number
  readonly #process: ChildProcess

  private constructor (process: ChildProcess, port: number) {
    this.#process = process
    this.port = port
  }

  /**
   * @param execArgv options of Node, such as `--cpu-prof`
   * @param application the name of its connections to PostgreSQL
   */
  static async start (
    { name, elsewhere }: Pick<Variant, 'elsewhere'> & { readonly name: ServerName | VariantName },
    { url, poolSize }: StartOptions,
    execArgv: readonly string[] = [],
    application: string = name
  ): Promise<ServerProcess> {
    const child = fork(elsewhere?.module ?? new URL('server.ts', import.meta.url), [elsewhere?.server ?? name], {
      execArgv: [...execArgv],
      env: {
        ...process.env,
        NODE_ENV: 'production',
        DATABASE_URL: url,
        POOL_SIZE: String(poolSize),
        PGAPPNAME: application,
      },
    })
    running.add(child)
    child.once('exit', () => running.delete(child))
    const message = await answer(child, name)
    if (!('port' in message)) throw new Error(`${name} sent another message than its port`)
    return new ServerProcess(child, message.port)
  }

  /** CPU time of all threads of the process so far, in microseconds. */
  async cpu (): Promise<number> {
    this.#send('cpu')
    const message = await answer(this.#process, 'a server')
    if (!('cpu' in message)) throw new Error('a server sent another message than its CPU time')
    return message.cpu.user + message.cpu.system
  }

  /** Resets `peakMemory`, which is the largest memory of the process since this call. */
  resetPeakMemory (): void {
    try {
      // 5 resets the peak (proc_pid_clear_refs(5))
      fs.writeFileSync(`/proc/${this.#process.pid}/clear_refs`, '5')
    } catch {
      // systems other than Linux have no peak to read, either
    }
  }

  /** Resident memory in MiB. `undefined` on systems without the /proc of Linux. */
  peakMemory (): number | undefined {
    try {
      const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(fs.readFileSync(`/proc/${this.#process.pid}/status`, 'utf8'))?.[1]
      return kilobytes === undefined ? undefined : Number(kilobytes) / 1024
    } catch {
      return undefined
    }
  }

  async stop (): Promise<void> {
    if (this.#process.exitCode !== null) return
    this.#send('stop')
    await once(this.#process, 'exit')
  }

  #send (command: ServerCommand): void {
    this.#process.send(command)
  }
}

function answer (child: ChildProcess, who: string): Promise<ServerMessage> {
  return new Promise((resolve, reject) => {
    const failed = (status: number | null) => reject(new Error(`${who} ended with status ${status}`))
    child.once('exit', failed)
    child.once('message', (message) => {
      child.off('exit', failed)
      resolve(message as ServerMessage)
    })
  })
}
