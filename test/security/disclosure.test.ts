/** Data that a client may not see changes no byte of any answer, neither by its values nor by its existence. */
import fc from 'fast-check'
import type { LightMyRequestResponse } from 'fastify'
import t from 'tap'
import { databases, skipReasons } from '../helpers/databases.ts'
import { assertProperty } from '../helpers/property.ts'
import { select } from '../http/helper.ts'
import { attempt, injected, secretTexts, tampered, type Attempt } from './attempts.ts'
import { openVault, SECRETS } from './vault.ts'

/**
 * Times at which the server acted. They differ, because the versions of the vault are requested one after the other.
 */
const MOMENTS = /"20[2-9]\d-\d\d-\d\dT[\d:.]+Z"/g

/** The parts of an answer that depend on the request. */
function answerOf (response: LightMyRequestResponse): string {
  const { date, ...headers } = response.headers
  return JSON.stringify([response.statusCode, headers, response.body.replace(MOMENTS, '"now"')])
}

/** The body without spaces between the tokens of JSON: PostgreSQL adds some if JavaScript does not convert a value. */
function compactAnswerOf (response: LightMyRequestResponse): string {
  const { date, 'content-length': length, ...headers } = response.headers
  return JSON.stringify(
    [response.statusCode, headers, JSON.stringify(JSON.parse(response.body)).replace(MOMENTS, '"now"')]
  )
}

/** The position at which answers start to differ. */
function difference (answers: readonly string[]): string {
  const [first = ''] = answers
  let at = 0
  while (at < first.length && answers.every((answer) => answer[at] === first[at])) at++
  return ['The answers differ:', ...answers.map((answer) => answer.slice(Math.max(0, at - 100), at + 300))].join('\n')
}

for (const [name, open] of databases) {
  await t.test(name, { skip: skipReasons[name] }, async (t) => {
    const vaults = await Promise.all([...SECRETS, undefined].map((secrets) => openVault(t, open, secrets)))
    const counts: Record<number, number> = {}
    /** Sends the same request to all versions. */
    const ask = async (attempt: Attempt): Promise<string> => {
      const responses = await Promise.all(vaults.map(({ app }) => app.inject(injected(attempt))))
      const [one, other, without] = responses as [
        LightMyRequestResponse, LightMyRequestResponse, LightMyRequestResponse
      ]
      const { statusCode, body } = one
      counts[statusCode] = (counts[statusCode] ?? 0) + 1
      if (
        answerOf(one) !== answerOf(other) || compactAnswerOf(one) !== compactAnswerOf(without)
      ) throw new Error(difference(responses.map(compactAnswerOf)))
      if (statusCode >= 500) throw new Error(`${statusCode} ${body}`)
      const sent = JSON.stringify(attempt)
      const found = secretTexts.find(
        (secret) => body.includes(secret) && !sent.includes(secret) && !written.has(secret)
      )
      if (found !== undefined) throw new Error(`${found} is in ${body}`)
      return body
    }
    /** Secrets that an attempt has written as a name of its own record. */
    const written = new Set<string>()

    t.test('the versions give equal answers to ordinary requests', async (t) => {
      for (const url of [
        '/people?include=team.people,mentor,visits,visitsCount', '/teams?include=people.visits',
        '/visits?include=person', '/people/1', '/people/500', '/people/600',
      ]) await ask({ method: 'GET', url, headers: {} })
      t.strictSame(counts, { 200: 4, 404: 2 })
      const documents = vaults.map(({ app }) => JSON.stringify((app as any).swagger()))
      if (new Set(documents).size > 1) t.fail(`the documentation knows of something hidden. ${difference(documents)}`)
    })

    t.test('no name, operator, value, path or body tells the versions apart', async (t) => {
      await assertProperty(
        fc.asyncProperty(attempt, async (attempt) => {
          for (const secret of secretTexts) if (attempt.body?.includes(secret)) written.add(secret)
          await ask(attempt)
        }),
        { numRuns: 900 }
      )
      t.ok([200, 201, 400, 404, 409, 412].every((status) => counts[status]! > 0), JSON.stringify(counts))
    })

    t.test('no changed cursor tells the versions apart', async (t) => {
      const cursors: string[] = []
      for (const query of ['', '&sort=name', '&sort=-age', '&sort=mentor.name']) {
        const page = JSON.parse(await ask({ method: 'GET', url: `/people?per_page=2&cursor=${query}`, headers: {} }))
        cursors.push(page.next_cursor)
      }
      const before = counts[400] ?? 0
      await assertProperty(
        fc.asyncProperty(tampered(cursors), async (attempt) => {
          await ask(attempt)
        }),
        { numRuns: 200 }
      )
      t.ok((counts[400] ?? 0) > before, JSON.stringify(counts))
    })

    t.test('hidden data is unchanged afterwards', async (t) => {
      for (const [index, { database: { orm } }] of vaults.slice(0, 2).entries()) {
        const { number, rows } = SECRETS[index]!
        const count = async (rows: string): Promise<number> =>
          (
            await select(orm, `select count(*)::int as count from ${rows}`)
          )[0].count
        t.equal(
          await count(`person where id < 1000 and pin = ${number} and api_tok is not null and dossier is not null`),
          5 + 2 * rows
        )
        t.equal(
          await count(
            'person where id >= 1000 and (pin is not null or api_tok is not null or dossier is not null or ' +
              'handler_id is not null or tenant <> 1)'
          ),
          0
        )
        t.equal(await count('person where id between 500 and 999 and version = 1'), 2 * rows)
        t.equal(await count(`team where id < 1000 and budget = ${number}`), 3)
        t.equal(await count('visit where not published or branch <> 1'), 3 * rows)
        t.equal(await count('person_friends'), rows)
      }
    })
  })
}
