/** `pull` with extensions, their types and indexes, tables of other servers, and views that can be written. */
import type { EntitySchema } from '@mikro-orm/core'
import Fastify from 'fastify'
import fs from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { crudKit, type CrudKitOptions } from '../../plugins/crud-kit.ts'
import { lacks } from '../helpers/capabilities.ts'
import { runCommand } from '../helpers/command-line.ts'
import { newDatabases } from '../helpers/databases.ts'
import { fillDatabase, loadPulled } from '../helpers/pulled.ts'

const SQL = fs.readFileSync(path.resolve(import.meta.dirname, '../fixtures/extensions.sql'), 'utf8')

/** Tables of the same database, as if they were on another server. */
const foreign = ({ hostname, port, pathname, username, password }: URL): string => `
  create extension postgres_fdw;
  create server other foreign data wrapper postgres_fdw
    options (host '${hostname}', port '${port}', dbname '${pathname.slice(1)}');
  create user mapping for current_user server other
    options (user '${decodeURIComponent(username)}', password '${decodeURIComponent(password)}');
  create schema far;
  create foreign table far.guest (id integer not null, name text not null, code text) server other
    options (schema_name 'rooms', table_name 'loose');
  alter foreign table far.guest drop column code;
`

/** Files, the texts that are in them, and those that are not. */
const FILES: ReadonlyArray<readonly [file: string, has: ReadonlyArray<string | RegExp>, lacks?: readonly string[]]> = [
  ['entities/room.ts', [
    "path: p.string().columnType('public.ltree'),",
    "code: p.string().columnType('citext'),",
    "expression: 'CREATE INDEX room_note ON rooms.room USING gist (note public.gist_trgm_ops)' }",
  ]],
  ['resources/room.ts', [
    "new AllowedFilters('name', 'contains', ['contains', 'starts'])",
    "new AllowedFilters('note', 'contains', ['contains', 'starts'])",
    "new AllowedFilters('code', 'eq', ['eq', 'in'])",
  ], ["AllowedFilters('path'", "AllowedSort('name'"]],
  ['entities/rooms-booking.ts', [
    '// The constraint booking_room_id_during_excl: EXCLUDE USING gist (room_id WITH =, during WITH &&).\n',
  ], ["name: 'booking_room_id_during_excl'"]],
  ['resources/rooms-booking.ts', ["new AllowedFilters('during', 'contains')"]],
  ['entities/api-booking.ts', [
    "id: p.uuid().primary().defaultRaw('gen_random_uuid()'),", 'guest: p.text(),', 'loud: p.text().nullable(),',
    "room: () => p.manyToOne(Room).joinColumn('room'),",
  ], ['is a guess', 'readonly', 'indexes']],
  ['resources/api-booking.ts', [
    "writable: ['guest', 'room', 'during', 'status'],",
    "new AllowedFilters('room', 'eq', ['eq', 'in'])",
  ], ['operations']],
  ['resources/paid.ts', [
    "'create' is left out: the view does not show what new rows need: guest.",
    "operations: ['list', 'get', 'update', 'delete'] as const",
  ]],
  ['resources/board.ts', ["operations: ['list', 'get', 'update', 'delete'] as const"]],
  ['entities/board.ts', ["'id' is a guess"], ['readonly']],
  ['entities/silent.ts', ['readonly: true']],
  ['resources/ruled.ts', ["operations: ['list', 'get', 'update'] as const"]],
  ['entities/counts.ts', ['readonly: true']],
  ['entities/loose.ts', ['readonly: true', "'id' is a guess"]],
  ['entities/loose-view.ts', ['readonly: true', "'id' is a guess"]],
  ['entities/guest.ts', [/^\/\/ The foreign table far\.guest/], ['readonly']],
]

type Answer = readonly [method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, expected: object, body?: object]

const answers = (id: string): readonly Answer[] => [
  ['GET', '/room?filter[name][contains]=EEN&filter[code]=g1', { body: { items: [{ tags: '"a"=>"1"', place: /1/ }] } }],
  ['GET', '/rooms_booking?filter[during][contains]=2026-01-02', { body: { total: 1 } }],
  [
    'POST', '/rooms_booking', { status: 409 },
    { room: 1, during: '[2026-01-02,2026-01-04)', guest: 'Bob', status: 'new' },
  ],
  ['GET', `/api_booking/${id}?include=room`, { body: { guest: 'Ann', loud: 'ANN', room: { code: 'G1' } } }],
  ['GET', '/api_booking?filter[during][contains]=2026-01-02', { body: { total: 1 } }],
  ['PATCH', `/api_booking/${id}`, { status: 400 }, { loud: 'X' }],
  ['PATCH', `/api_booking/${id}`, { status: 200, body: { loud: 'BEA' } }, { guest: 'Bea' }],
  [
    'POST', '/api_booking', { status: 201, body: { id: /^[\da-f-]{36}$/, status: 'new' } },
    { guest: 'Cy', room: 1, during: '[2027-01-01,2027-01-02)' },
  ],
  [
    'POST', '/api_booking', { status: 400, body: { errors: [{ source: { pointer: '/guest' } }] } },
    { room: 1, during: 'empty' },
  ],
  ['PATCH', `/board/${id}`, { status: 200, body: { guest: 'Di', room: 'Green room' } }, { guest: 'Di' }],
  ['POST', '/board', { status: 404 }, { guest: 'Ed' }],
  ['PATCH', '/ruled/1', { status: 200, body: { name: 'Red room' } }, { name: 'Red room' }],
  ['PATCH', '/silent/1', { status: 404 }, { name: 'Blue room' }],
  ['PATCH', `/paid/${id}`, { status: 404 }, { during: 'empty' }],
  ['PATCH', '/guest/1', { status: 200, body: { name: 'y' } }, { name: 'y' }],
  ['POST', '/guest', { status: 201 }, { id: 2, name: 'z' }],
  ['GET', '/loose?sort=-id', { status: 400 }],
  ['GET', '/loose', { body: { total: 2 } }],
  ['DELETE', '/guest/2', { status: 200 }],
  ['DELETE', `/board/${id}`, { status: 200 }],
  ['GET', '/counts', { body: { items: [{ room_id: 1, count: '1' }] } }],
]

for (const { name, open } of newDatabases.filter(({ name }) => name === 'postgres')) {
  t.test(name, { skip: await lacks('extensions') }, async (t) => {
    const { url, close } = await open()
    t.teardown(close)
    await fillDatabase(url, SQL + foreign(new URL(url)))
    const folder = t.testdir()
    t.match(await runCommand(['pull', '--url', url], folder), { code: 0, err: '' })
    for (const [file, has, lacks = []] of FILES) {
      const text = fs.readFileSync(path.join(folder, file), 'utf8')
      for (const part of has) t.match(text, part, file)
      for (const part of lacks) t.notMatch(text, part, file)
    }
    const app = Fastify()
    t.teardown(() => app.close())
    const entities = await loadPulled(folder, 'entities') as EntitySchema[]
    const resources = await loadPulled(folder, 'resources') as NonNullable<CrudKitOptions['resources']>
    await app.register(crudKit, { database: { databaseUrl: url, entities }, resources })
    const ask = async (method: Answer[0], url: string, payload?: object) => {
      const answer = await app.inject({ method, url, ...payload && { payload } })
      return { status: answer.statusCode, body: answer.body === '' ? undefined : answer.json() }
    }
    const { body: { items: [{ id }] } } = await ask('GET', '/api_booking')
    for (const [method, url, expected, body] of answers(id)) t.match(await ask(method, url, body), expected, url)
  })
}
