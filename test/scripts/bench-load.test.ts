/** The client of `npm run bench`, which sends requests to several servers in turns. */
import { once } from 'node:events'
import net from 'node:net'
import t, { type Test } from 'tap'
import { dealt, dealtShare, sequence } from '../../bench/cost.ts'
import { Load } from '../../bench/load.ts'

const REQUEST = Buffer.from('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')

/** A server that answers each request with this text, in two pieces. */
async function serverOf (t: Test, answer: string): Promise<{ port: number, sockets: net.Socket[] }> {
  const sockets: net.Socket[] = []
  const server = net.createServer((socket) => {
    sockets.push(socket)
    socket.on('data', () => {
      socket.write(answer.slice(0, 20))
      setImmediate(() => socket.write(answer.slice(20)))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as net.AddressInfo).port, sockets }
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'

t.test('each connection sends at least one request, and what they did is counted', async (t) => {
  const { port } = await serverOf(t, OK)
  const load = await Load.open(port, 3, () => REQUEST)
  t.teardown(() => load.close())
  t.equal(await load.run(0), true)
  t.equal(load.requests, 3)
  t.equal(load.latencies.length, 3)
  t.ok(load.seconds > 0)
})

t.test('requests that end are said to have ended', async (t) => {
  const { port } = await serverOf(t, OK)
  const requests = [REQUEST, REQUEST, REQUEST]
  const load = await Load.open(port, 2, () => requests.pop())
  t.teardown(() => load.close())
  t.equal(await load.run(60_000), false)
  t.equal(load.requests, 3)
})

t.test('an answer with another status ends the load', async (t) => {
  const { port } = await serverOf(t, OK.replace('200 OK', '500 Internal Server Error'))
  const load = await Load.open(port, 1, () => REQUEST)
  t.teardown(() => load.close())
  await t.rejects(load.run(0), /unexpected answer:\nHTTP\/1\.1 500/)
})

t.test('a connection that the server has closed between two turns ends the load', async (t) => {
  const { port, sockets } = await serverOf(t, OK)
  const load = await Load.open(port, 1, () => REQUEST)
  t.teardown(() => load.close())
  await load.run(0)
  const closed = once(sockets[0]!, 'close')
  sockets[0]!.destroy()
  await closed
  await t.rejects(load.run(0), /the server closed a connection/)
})

t.test('numbers of requests start over, or end if each is sent once', async (t) => {
  const again = sequence(2)
  t.same([again(), again(), again()], [0, 1, 0])
  const once = sequence(2, true)
  t.same([once(), once(), once(), once()], [0, 1, undefined, undefined])
})

t.test('each request of a sequence goes to one of those that share it', async (t) => {
  const numbers = sequence(3, true)
  const requests = ['first', 'second', 'third'].map((text) => Buffer.from(text))
  const [one, other] = [dealt(numbers, requests), dealt(numbers, requests)]
  t.same([one(), other(), one(), other(), one()].map(String), ['first', 'second', 'third', 'undefined', 'undefined'])
})

t.test('servers that send each request once have as many of them, whoever begins', async (t) => {
  const requests = ['first', 'second', 'third', 'fourth'].map((text) => Buffer.from(text))
  const [one, other] = [dealtShare(requests, 0, 2), dealtShare(requests, 1, 2)]
  t.same([one(), one(), one()].map(String), ['first', 'third', 'undefined'])
  t.same([other(), other(), other()].map(String), ['second', 'fourth', 'undefined'])
})
