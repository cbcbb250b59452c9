/** Rows of a role beside MikroORM's filters and a scope that compare the same properties: all of them hold. */
import { p, raw } from '@mikro-orm/core'
import type { FastifyRequest } from 'fastify'
import { inspect, isDeepStrictEqual } from 'node:util'
import t from 'tap'
import {
  AllowedFilters, AllowedInclude, AllowedSort, CrudBase, softDelete, type AccessOptions, type CrudKitOptions,
} from '../../../src/index.ts'
import { forOneDatabase } from '../../helpers/databases.ts'
import { select } from '../helper.ts'
import { sender, serveWith } from './fixtures.ts'
import { entity } from '../../helpers/entity.ts'

const id = { id: p.integer().primary() }

/** What the filter of tiles, the rows of a role and the scope say at the moment. */
const says: { filter: object, rows: object, scope: object } = { filter: {}, rows: {}, scope: {} }
const NOTHING = { filter: {}, rows: {}, scope: {} }
const visible = { visible: { name: 'visible', cond: { n: { $ne: 9 } }, default: true } }

const Size = entity('Size', { height: p.integer(), width: p.integer() }, { embeddable: true })
const Tile = entity('Tile', {
  ...id, n: p.integer(), odd: p.boolean(), data: p.json<any>(), size: () => p.embedded(Size),
  place: () => p.manyToOne(Place).joinColumns('place_row', 'place_no').nullable(), links: () => p.manyToMany(Link),
  board: () => p.manyToOne(Board).nullable(), plate: () => p.manyToOne(Plate).nullable(),
}, { filters: { says: { name: 'says', cond: () => says.filter, args: false, default: true } } })
const Link = entity('Link', { ...id, n: p.integer() }, { filters: visible })
const Place = entity('Place', { row: p.integer().primary(), no: p.integer().primary(), n: p.integer() })
const Board = entity('Board', { ...id, ...softDelete, n: p.integer(), maker: () => p.manyToOne(Maker) }, {
  filters: visible,
})
const Plate = entity('Plate', { board: () => p.oneToOne(Board).primary() })
const Pin = entity('Pin', {
  ...id, board: () => p.manyToOne(Board), tile: () => p.manyToOne(Tile).nullable(), tiles: () => p.manyToMany(Tile),
})
const Maker = entity('Maker', { ...id, n: p.integer() })

const SEED = `insert into maker (id, n) values (1, 1), (2, 2);
  insert into board (id, n, maker_id, deleted_at) values (1, 1, 1, null), (2, 2, 2, null), (3, 9, 1, null),
    (4, 1, 1, now());
  insert into link (id, n) values (1, 1), (2, 2), (3, 9);
  insert into plate (board_id) values (1), (3), (4);
  insert into place ("row", no, n) values (1, 1, 1), (1, 2, 2), (2, 1, 9);
  insert into tile (id, n, odd, data, size_height, size_width, board_id, place_row, place_no, plate_board_id)
    select k, (array[1, 2, 9])[1 + k % 3], k % 2 = 1, jsonb_build_object('a', k % 2), k % 4, k % 5, nullif(k % 5, 0),
      case when k % 4 > 0 then 1 + k % 4 / 3 end, case when k % 4 > 0 then 1 + k % 4 % 3 % 2 end,
      (array[1, 3, 4])[1 + k % 3]
    from generate_series(1, 24) k;
  insert into tile_links (tile_id, link_id) select k, 1 + k % 3 from generate_series(1, 24) k where k % 4 > 0
    union select k, 1 + k % 2 from generate_series(1, 24) k where k % 5 > 0;
  insert into pin (id, board_id) values (1, 1);
  insert into pin_tiles (pin_id, tile_id) select 1, id from tile`
const TILES = 24

const tiles = new CrudBase<any>({
  model: Tile,
  queryConfig: {
    allowedFilters: [AllowedFilters.custom('below', (qb, value) => qb.andWhere({ n: { $lt: Number(value) } }))],
    allowedSorts: [
      new AllowedSort('id'),
      AllowedSort.custom('size', (qb, direction) => qb.orderBy({ n: direction } as never)),
    ],
    pagination: { defaultPerPage: 100 },
  },
})
const pins = new CrudBase<any>({
  model: Pin,
  writable: ['tile', 'tiles'],
  queryConfig: {
    allowedFilters: [AllowedFilters.exact('tiles.id')],
    allowedIncludes: [new AllowedInclude('tiles'), AllowedInclude.count('tiles')],
  },
})
const reads = ['list', 'get'] as const
const resources = {
  '/tiles': { crud: tiles, operations: reads },
  '/scoped': { crud: tiles, operations: reads, scope: () => says.scope, name: 'scoped' },
  '/pins': { crud: pins, operations: [...reads, 'update'] },
} satisfies CrudKitOptions['resources']

/** Conditions on tiles that have something in common, in all forms that a condition can have. */
const CONDITIONS: readonly object[] = [
  { n: 1 }, { n: { $ne: 9 } }, { n: [1, 2] }, { n: { $gte: 1, $lt: 9 } }, { $or: [{ n: 1 }, { n: 9 }] },
  { $or: [{ n: 2 }, { board: { n: 1 } }] }, { $and: [{ n: { $lt: 9 } }, { board: { $ne: null } }] }, { $not: { n: 2 } },
  { board: { id: { $gt: 1 } } }, { board: { n: 1, maker: { n: 1 } } },
  { board: { $or: [{ n: 2 }, { maker: { n: 1 } }] } }, { links: { n: 1 } }, { links: { $some: { n: 2 } } },
  { place: { n: { $lt: 9 } } }, { place: { row: 1, no: 1 } }, { size: { height: { $lt: 3 }, width: { $gt: 0 } } },
  { data: { a: 1 } },
]
/** SQL of the application is known to MikroORM for a while only. */
const conditions = (): readonly object[] => [
  ...CONDITIONS,
  { [raw((alias) => `${alias}.n % 2 = 1`) as never]: [] },
  { n: raw('size_height') },
  // beside another condition, it needs parentheses
  { [raw((alias) => `${alias}.n = 1 or ${alias}.n = 9`) as never]: [] },
]

await forOneDatabase(t, { entities: [Tile, Link, Place, Plate, Board, Maker, Size, Pin] }, async (t, { orm }) => {
  for (const statement of SEED.split(';')) await orm.em.getConnection().execute(statement)
  t.beforeEach(() => Object.assign(says, NOTHING))

  const access: AccessOptions = {
    role: () => 'member',
    // the rows of pins lead over a relation, so that MikroORM compiles the conditions of their statements
    roles: { member: { '*': { rows: {} }, Tile: { rows: () => says.rows }, Pin: { rows: { board: { n: 1 } } } } },
  }
  const app = await serveWith(t, orm, { resources, access, shared: [] })
  const send = sender(app)
  const items = async (url: string): Promise<any[]> => {
    const { status, body } = await send('GET', url)
    if (status !== 200) throw new Error(`${url}: ${status} ${inspect(says, { depth: null })} ${body.message}`)
    return body.items
  }
  const ids = async (url: string): Promise<readonly number[]> => idsOf(await items(url))
  const included = async (): Promise<readonly number[]> => {
    const [{ tiles, tilesCount }] = await items('/pins?include=tiles,tilesCount') as [any]
    t.equal(tiles.length, tilesCount)
    return idsOf(tiles)
  }
  const members = tiles.forRole('member', { access, request: {} as FastifyRequest })
  const queried = async (options = {}): Promise<readonly number[]> => {
    const query = await members.query(orm.em.fork(), undefined, options)
    return idsOf(await query.getResultList() as any[])
  }
  type Place = 'filter' | 'rows' | 'scope'
  /** Ways to see tiles, and the place of one of the two conditions. The other one is the role's. */
  const ways: ReadonlyArray<readonly [name: string, place: Place, look: () => Promise<readonly number[]>]> = [
    ['list', 'filter', () => ids('/tiles')],
    ['custom sort', 'filter', () => ids('/tiles?sort=size')],
    ['custom filter', 'filter', () => ids('/tiles?filter[below]=99')],
    ['include', 'filter', included],
    ['query', 'filter', () => queried()],
    ['scope', 'scope', () => ids('/scoped')],
    ['scope, custom sort', 'scope', () => ids('/scoped?sort=size')],
    ['scope, query', 'scope', () => queried({ scope: says.scope })],
  ]
  /** The tiles that each condition lets through by itself. */
  const alone = async (place: Place, url: string): Promise<ReadonlyArray<readonly number[]>> => {
    const found: Array<readonly number[]> = []
    for (const condition of conditions()) {
      Object.assign(says, NOTHING, { [place]: condition })
      found.push(await ids(url))
    }
    return found
  }

  t.test('records pass all of two conditions, whatever their form is and whatever else is asked for', async (t) => {
    const through = {
      filter: await alone('filter', '/tiles'), rows: await alone('rows', '/tiles'),
      scope: await alone('scope', '/scoped'),
    }
    const wrong: object[] = []
    for (const [first, condition] of conditions().entries()) {
      for (const [second, rows] of conditions().entries()) {
        const [name, place, look] = ways[(first * 3 + second) % ways.length]!
        Object.assign(says, NOTHING, { [place]: condition, rows })
        const both = through[place][first]!.filter((id) => through.rows[second]!.includes(id))
        const found = await look()
        if (!isDeepStrictEqual(found, both)) wrong.push({ name, ...says, found, both })
      }
    }
    t.strictSame(wrong, [])
  })

  // the second one of each has operators that the first one does not have
  const pairs = [
    [{ n: 1 }, { n: { $ne: 9 } }],
    [{ n: { $ne: 9 } }, { n: 1 }],
    [{ n: [1, 9] }, { n: { $lt: 9 } }],
  ] as const
  for (const [filter, rows] of pairs) {
    const both = `${JSON.stringify(filter)} and ${JSON.stringify(rows)}`
    t.test(`references, links and reads if a filter and rows compare one property: ${both}`, async (t) => {
      Object.assign(says, NOTHING, { filter, rows })
      const ones = idsOf(await select(orm, 'select id from tile where n = 1'))
      const others = idsOf(await select(orm, 'select id from tile where n <> 1'))
      for (const [name, place, look] of ways) {
        if (place === 'filter') t.strictSame(await look(), ones, name)
      }
      for (const id of others.slice(0, 4)) {
        t.equal((await send('GET', `/tiles/${id}`)).status, 404)
        t.equal((await send('PATCH', '/pins/1', { tile: id })).status, 409, `a reference to ${id}`)
        t.equal((await send('PATCH', '/pins/1', { tiles: [ones[0], id] })).status, 409, `a link to ${id}`)
      }
      t.equal((await send('PATCH', '/pins/1', { tile: ones[0] })).status, 200)
      t.strictSame((await send('PATCH', '/pins/1', { tiles: [] })).status, 200)
      const left = await select(orm, 'select tile_id as id from pin_tiles')
      t.strictSame(idsOf(left), others, 'links that the role does not see stay')
      t.equal((await send('PATCH', '/pins/1', { tiles: ones })).status, 200)
      t.equal((await select(orm, 'select tile_id from pin_tiles')).length, TILES)
    })
  }

  t.test('a fragment of SQL with `or` stays one of several conditions', async (t) => {
    const or = (text: string) => ({ [raw((alias) => text.replaceAll('@', alias)) as never]: [] })
    const found = async (where: string) => idsOf(await select(orm, `select id from tile where ${where}`))
    const fragment = or('@.n = 1 or @.n = 9')
    for (const rows of [{ ...fragment, size: { height: 1 } }, { $and: [{ size: { height: 1 } }, fragment] }]) {
      Object.assign(says, NOTHING, { rows })
      t.strictSame(await ids('/tiles'), await found('size_height = 1 and n in (1, 9)'))
    }
    const value = () => raw('n = 1 or n = 9')
    for (const odd of [value(), { $eq: value() }, { $ne: value(), $in: [value(), true] }]) {
      Object.assign(says, NOTHING, { rows: { odd, size: { height: 1 } } })
      const compared = '$ne' in odd ? '<> (n in (1, 9)) and odd' : '= (n in (1, 9))'
      t.strictSame(await ids('/tiles'), await found(`size_height = 1 and odd ${compared}`))
    }
    Object.assign(says, NOTHING, { rows: { board: or('@.n > 0 or @.n <= 0') } })
    const visible = 'select id from board where deleted_at is null and n <> 9'
    t.strictSame(await ids('/tiles'), await found(`board_id in (${visible})`), 'other boards do not count')
  })

  t.test('a condition on the key of a relation alone reads no related row, deleted ones neither', async (t) => {
    const ofBoard = async (id: number) => idsOf(await select(orm, `select id from tile where board_id = ${id}`))
    const deleted = await ofBoard(4)
    for (const rows of [{ board: 4 }, { board: { id: 4 } }, { board: { id: { $gt: 3 } } }, { board: { $gt: 3 } }]) {
      Object.assign(says, NOTHING, { rows })
      t.strictSame(await ids('/tiles'), deleted, JSON.stringify(rows))
    }
    for (const rows of [{ board: { n: 1 } }, { board: { id: { $in: [1, 4] }, n: 1 } }]) {
      Object.assign(says, NOTHING, { rows })
      t.strictSame(await ids('/tiles'), await ofBoard(1), JSON.stringify(rows))
    }
  })

  t.test('a condition behind a key that is a relation counts no deleted rows, nor those of filters', async (t) => {
    Object.assign(says, NOTHING, { rows: { plate: { board: { n: { $gt: 0 } } } } })
    t.strictSame(await ids('/tiles'), idsOf(await select(orm, 'select id from tile where plate_board_id = 1')))
  })
})

function idsOf (items: ReadonlyArray<{ readonly id: number }>): readonly number[] {
  return items.map(({ id }) => id).sort((one, other) => one - other)
}
