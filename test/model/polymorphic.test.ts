/** Relations that lead to or come from one of several tables are refused by name, and never joined by keys alone. */
import { p } from '@mikro-orm/core'
import t from 'tap'
import {
  AllowedFilters, AllowedInclude, AllowedSort, CrudBase, QueryBuilderConfig, type CrudOptions,
} from '../../src/index.ts'
import { ormOf, modelsOf } from '../helpers/models.ts'
import { entity } from '../helpers/entity.ts'

const key = { id: p.integer().primary() }
const Note = entity('Note', {
  ...key,
  text: p.string(),
  subject: () => p.manyToOne([Post, Photo]).nullable(),
  seals: () => (p.manyToMany as any)([Post, Photo]).owner().pivotTable('note_seals').discriminator('sealed'),
} as any)
const Label = entity('Label', { ...key, posts: () => p.manyToMany(Post).mappedBy('labels') })
const Post: any = entity('Post', {
  ...key,
  title: p.string(),
  notes: () => p.oneToMany(Note).mappedBy('subject' as never),
  labels: () => p.manyToMany(Label).owner().pivotTable('labelled').discriminator('labelled'),
  sealedBy: () => p.manyToMany(Note).mappedBy('seals' as never),
} as any)
const Photo: any = entity('Photo', {
  ...key,
  labels: () => p.manyToMany(Label).owner().pivotTable('labelled').discriminator('labelled'),
  best: () => p.manyToOne(Post).nullable(),
} as any)
const entities = [Note, Label, Post, Photo]

const POLYMORPHIC = [
  [Note, 'subject'], [Note, 'seals'], [Label, 'posts'], [Post, 'notes'], [Post, 'labels'], [Post, 'sealedBy'],
  [Photo, 'labels'],
] as const

t.test('polymorphic relations and their other sides are no properties', async (t) => {
  const models = modelsOf(entities)
  for (const [entity, name] of POLYMORPHIC) {
    const { properties, name: owner } = models.of(entity)
    t.notOk(properties.has(name), `${owner}.${name}`)
  }
  t.strictSame([...models.of(Photo).properties.keys()], ['id', 'best'])
})

t.test('a resource that names a polymorphic relation is refused at start-up', async (t) => {
  const em = ormOf(entities).em as any
  const start = (model: any, options: Partial<CrudOptions<any>>) => () => new CrudBase({ model, ...options }).bind(em)
  const config = (list: string, entry: unknown) => ({ queryConfig: new QueryBuilderConfig<any>({ [list]: [entry] }) })
  for (const [entity, name] of POLYMORPHIC) {
    const { name: owner } = modelsOf(entities).of(entity)
    const refused = {
      code: 'FST_CRUD_CONFIG_INVALID',
      message: new RegExp(`: '${name}' of ${owner} is polymorphic: .* Declare a relation between ${owner} and each `),
    }
    for (const options of [
      { writable: [name] },
      { writable: { update: [name] } },
      { writable: [{ [name]: ['text'] }] },
      config('allowedFilters', AllowedFilters.exact(name)),
      config('allowedFilters', AllowedFilters.exact(`${name}.id`)),
      config('allowedSorts', new AllowedSort(`${name}.id`)),
      config('allowedIncludes', new AllowedInclude(name)),
      config('allowedIncludes', AllowedInclude.count(name)),
    ]) t.throws(start(entity, options), refused, `${owner}.${name} ${JSON.stringify(options)}`)
    t.doesNotThrow(start(entity, { writable: 'all' }), owner)
  }
  t.throws(start(Photo, config('allowedIncludes', new AllowedInclude('best.notes'))), {
    message: /'notes' of Post is polymorphic/,
  }, 'behind another relation')
})
