/** Ports for servers of tests and benchmarks. */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import net from 'node:net'

/**
 * A port that is free at the moment. It is below those that systems give to connections and to servers without a port
 * of their own, so that none of them takes it before the test does. It is above those that `fetch` refuses, the last of
 * which is 10080 (Fetch standard, "port blocking").
 */
export async function freePort (): Promise<number> {
  for (;;) {
    const port = randomInt(10_081, 32_768)
    const server = net.createServer().listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') continue
      throw error
    }
    server.close()
    await once(server, 'close')
    return port
  }
}
