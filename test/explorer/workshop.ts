/** A workshop with machines that have versions and are soft-deleted, and with records that try to harm a page. */
import { p } from '@mikro-orm/core'
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Test } from 'tap'
import { AllowedField, AllowedFilters, AllowedInclude } from '../../src/index.ts'
import { resource } from '../http/helper.ts'
import { explored } from './nursery.ts'
import { entity } from '../helpers/entity.ts'

const id = { id: p.integer().primary().autoincrement() }

export const Maker = entity('Maker', {
  ...id, name: p.string(), machines: () => p.oneToMany(Machine).mappedBy('maker'),
})
export const Machine = entity('Machine', {
  ...id, name: p.string(), note: p.string().nullable(), power: p.integer().nullable(),
  maker: () => p.manyToOne(Maker).nullable(), version: p.integer().version(), deleted_at: p.datetime(3).nullable(),
})
const Reading = entity('Reading', { ...id, value: p.integer() })

const COLUMNS = Array.from({ length: 300 }, (_, index) => `column_${index}`)
const Hostile = entity('Hostile', {
  ...id, text: p.text().nullable(), json: p.json().nullable(),
  ...Object.fromEntries(COLUMNS.map((name) => [name, p.string().nullable()])),
})

export const entities = [Maker, Machine, Reading, Hostile]

/** Texts that must stay texts. Each of them would set `window.harmed` if it became a part of the page. */
export const TEXTS = [
  '<script>window.harmed = 1</script>', '"><img src=x onerror="window.harmed = 1">', "javascript:window.harmed=1//'",
  '</style><svg onload=window.harmed=1>', '{{constructor.constructor("window.harmed=1")()}}', 'abc\u202Efdp.exe',
  '\u0645\u0631\u062D\u0628\u0627 <b>', 'line\nline\ttab',
]

export async function seed (em: EntityManager): Promise<void> {
  const [acme, bolt] = ['Acme', 'Bolt'].map((name) => em.create(Maker, { name }))
  em.create(Machine, { name: 'Drill', power: 500, maker: acme! })
  em.create(Machine, { name: 'Saw', power: 900, maker: bolt! })
  em.create(Machine, { name: 'Lathe', maker: acme! })
  for (const text of TEXTS) em.create(Hostile, { text, json: { [text]: [text] }, column_0: text } as never)
  em.create(Hostile, { text: 'x'.repeat(1_000_000) } as never)
  em.create(Hostile, {} as never)
  await em.flush()
  await em.getConnection().execute('insert into reading (value) select i from generate_series(1, 10000) as i')
}

/** A hook that asks for one of the credentials. */
const authenticate =
  (accepted: ReadonlySet<string>) => async ({ headers }: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (!accepted.has(headers.authorization ?? '')) {
      await reply.code(401).header('www-authenticate', 'Bearer').send({ statusCode: 401, message: 'Log in first.' })
    }
  }

const fields = (...names: readonly string[]) => names.map((name) => new AllowedField(name))

interface WorkshopOptions {
  /** The values of `authorization` that the resources accept. Without it, they are open. */
  readonly accepted?: ReadonlySet<string>
}

/** The workshop with its explorer. */
export const openWorkshop = async (t: Test, orm: MikroORM, { accepted }: WorkshopOptions = {}) =>
  await explored(t, orm, {
    serverTiming: true,
    resources: Object.fromEntries(
      Object.entries({
        '/machines': {
          crud: resource(Machine, {
            allowedFilters: [{ name: ['eq', 'contains'], maker: ['eq', 'in'] }, AllowedFilters.trashed()],
            allowedSorts: ['id', 'name', 'power'],
            allowedFields: fields('id', 'name', 'note', 'power', 'maker', 'version', 'deleted_at'),
            allowedIncludes: ['maker'],
            defaultSort: ['id'],
          }),
          stream: true,
        },
        '/makers': {
          crud: resource(Maker, {
            allowedFilters: [{ name: ['eq', 'contains'] }],
            allowedSorts: ['name'],
            allowedIncludes: ['machines', AllowedInclude.count('machines'), AllowedInclude.sum('machines.power')],
          }),
        },
        '/readings': { crud: resource(Reading, { allowedSorts: ['id'], pagination: { maxPerPage: 500 } }) },
        '/hostile': { crud: resource(Hostile, { defaultSort: ['id'] }) },
      }).map(([prefix, options]) => [prefix, {
        ...options,
        hooks: accepted ? { all: { onRequest: authenticate(accepted) } } : {},
      }])
    ),
  }, { explorer: { explain: true } })
