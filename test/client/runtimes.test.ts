/** The client in a browser. */
import t from 'tap'
import { openBrowser, skipReason } from '../helpers/browser.ts'
import { PROGRAM, RESULT, serve } from '../helpers/client-program.ts'

// a browser on a busy machine
t.setTimeout(600_000)

t.test('the client works in a page', { skip: skipReason() }, async (t) => {
  const { app } = await serve(t)
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const browser = await openBrowser(t)
  const page = await browser.newPage()
  await page.goto(address)
  for (const base of ["''", 'location.origin']) {
    t.strictSame(await page.evaluate(`import('/client.js').then((client) => (${PROGRAM})(${base}, client))`), RESULT)
  }
})
