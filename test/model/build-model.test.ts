import { defineEntity, EntityCaseNamingStrategy, p, raw, Type } from '@mikro-orm/core'
import t from 'tap'
import {
  publicPath, resolvePath, type EntityModel, type Property, type RelationProperty, type ScalarProperty,
} from '../../src/model/index.ts'
import {
  AuditEntry, Customer, Delivery, Group, Label, Offer, Order, OrderItem, Parcel, Plant, Shelf, Specimen, Supplier, Tag,
} from '../fixtures/entities.ts'
import { modelsOf } from '../helpers/models.ts'

const models = modelsOf()
/** The model of an entity with a primary key and these properties. */
const modelOf = (name: string, properties: Record<string, any>, more: object = {}): EntityModel => {
  const entity = defineEntity({ name, properties: { id: p.integer().primary(), ...properties }, ...more })
  return modelsOf([entity]).of(entity)
}
const property = (model: EntityModel, name: string) => model.properties.get(name) as Property
const scalar = (model: EntityModel, name: string) => property(model, name) as ScalarProperty
const relation = (model: EntityModel, name: string) => property(model, name) as RelationProperty
const refused = (message: string | RegExp) => ({ code: 'FST_CRUD_CONFIG_INVALID', message })

t.test('a model is built once, by whichever name the entity is passed', async (t) => {
  const plant = models.of(Plant)
  t.equal(models.of(Plant), plant)
  t.equal(models.of('Plant'), plant)
  t.equal(models.of(plant.entity), plant)
  t.equal(relation(models.of(Tag), 'plants').target, plant)
  t.strictSame([plant.name, plant.tableName, plant.table], ['Plant', 'plant', '"plant"'])
  t.ok(Object.isFrozen(plant))
  for (const part of plant.properties.values()) t.ok(Object.isFrozen(part), part.name)
})

t.test('an unknown entity is refused with those that the ORM knows', async (t) => {
  const Stranger = defineEntity({ name: 'Stranger', properties: { id: p.integer().primary() } })
  const few = modelsOf([
    Tag, Plant, Supplier, Group, Shelf, Label, Offer, Specimen, OrderItem, Order, Customer, Delivery,
  ])
  t.throws(() => few.of(Stranger),
    refused(/^The entity Stranger is not one of the ORM's: .*Plant.*\. Add it to the ORM's "entities"\.$/))
  t.throws(() => few.of('Strangest'), refused(/^The entity Strangest is not/))
  t.throws(() => few.of(class Foreigner {}), refused(/^The entity Foreigner is not/))
  t.throws(() => few.of(undefined), refused(/^'model' must be an entity/))
})

t.test('a model has every property that exists in the database, in the order of declaration', async (t) => {
  t.strictSame([...models.of(Plant).properties.keys()], [
    'id', 'uuid', 'created_at', 'updated_at', 'deleted_at', 'name', 'latinName', 'position', 'status', 'price',
    'inStock', 'description', 'articleNumber', 'purchasePrice', 'nameLength', 'slug', 'supplier', 'group', 'shelf',
    'tags', 'label', 'offers', 'specimens', 'orderItems',
  ])
  t.notOk(models.of(Plant).properties.has('selected'), 'in JavaScript only')
})

t.test('a property has its own name, a public name and the name of its column', async (t) => {
  const plant = models.of(Plant)
  t.match(scalar(plant, 'articleNumber'), {
    name: 'articleNumber', publicName: 'sku', column: 'article_number', nullable: true, hidden: false,
  })
  t.match(scalar(plant, 'position'), { name: 'position', publicName: 'position', column: 'order', nullable: false })
  t.match(scalar(plant, 'latinName'), { column: 'latinName' })
  t.match(scalar(plant, 'purchasePrice'), { hidden: true })
  t.match(property(models.of(Supplier), 'email'), { hidden: true })
})

t.test("the ORM's naming strategy names columns that no entity names", async (t) => {
  class Shouting extends EntityCaseNamingStrategy {
    override classToTableName (name: string): string {
      return `T_${name.toUpperCase()}`
    }

    override propertyToColumnName (name: string): string {
      return `F_${name.toUpperCase()}`
    }

    override joinKeyColumnName (name: string): string {
      return `F_${name.toUpperCase()}_ID`
    }
  }
  const Owner = defineEntity({
    name: 'Owner',
    properties: { id: p.integer().primary(), pets: () => p.manyToMany(Pet) },
  })
  const Pet = defineEntity({
    name: 'Pet',
    properties: {
      id: p.integer().primary(), petName: p.string(), born: p.date().fieldName('birthday'),
      owner: () => p.manyToOne(Owner),
    },
  })
  const named = modelsOf([Owner, Pet], { namingStrategy: Shouting })
  const pet = named.of(Pet)
  t.equal(pet.table, '"T_PET"')
  t.strictSame([scalar(pet, 'petName').column, scalar(pet, 'born').column, scalar(pet, 'petName').publicName], [
    'F_PETNAME', 'birthday', 'petName',
  ])
  t.match(relation(pet, 'owner').join, { columns: ['F_OWNER_ID'], targetColumns: ['F_ID'] })
  t.match(relation(named.of(Owner), 'pets').join, { pivotColumns: ['F_OWNER_ID'], pivotTargetColumns: ['F_PET_ID'] })
})

t.test('a foreign key has its columns, also those shared with another property', async (t) => {
  const Order = defineEntity({
    name: 'Order',
    properties: { tenant: p.integer().primary(), id: p.integer().primary() },
  })
  const Line = defineEntity({
    name: 'Line',
    properties: {
      tenant: p.integer().primary(), id: p.integer().primary(),
      order: () => p.manyToOne(Order).joinColumns('tenant', 'order_id'),
    },
  })
  t.strictSame(relation(modelsOf([Order, Line]).of(Line), 'order').key.map(({ column, shared }) => [column, shared]), [[
    'tenant',
    true,
  ], ['order_id', false]])
})

t.test('classes of single-table inheritance are in the schema of their root', async (t) => {
  const Contact = defineEntity({
    name: 'Contact', schema: 'crm', discriminatorColumn: 'kind',
    properties: { id: p.integer().primary(), kind: p.string() },
  })
  const Mail = defineEntity({
    name: 'Mail', extends: Contact, discriminatorValue: 'mail', properties: { address: p.string() },
  })
  t.equal(modelsOf([Contact, Mail]).of(Mail).table, '"crm"."contact"')
})

t.test('a formula is an expression of the alias', async (t) => {
  const nameLength = scalar(models.of(Plant), 'nameLength')
  t.equal(nameLength.formula!('"e7"'), 'char_length("e7".name)')
  t.equal(scalar(models.of(Plant), 'slug').formula, undefined, 'a generated column is a column')
})

t.test('a formula may name its table, and be a fragment with values', async (t) => {
  const priced = modelOf('Priced', {
    dear: p.boolean().formula((columns) => `${columns['id']} > 1`),
    from: p.string().formula((_, table) => `'${table.name}/' || ${table.alias}.id`),
    named: p.string().formula((columns) => raw(`${columns['id']} || ?`, ["it's"]) as never),
  })
  t.equal(scalar(priced, 'dear').formula!('"e0"'), '"e0".id > 1')
  t.equal(scalar(priced, 'from').formula!('"e0"'), '\'priced/\' || "e0".id')
  t.equal(scalar(priced, 'named').formula!('"e0"'), "\"e0\".id || 'it''s'")
})

t.test('an embedded object in columns has its properties, and one in JSON is a single property', async (t) => {
  const address = property(models.of(Supplier), 'address')
  t.match(address, { kind: 'embedded', name: 'address', publicName: 'address', nullable: true })
  const members = [...(address as Extract<Property, { kind: 'embedded' }>).properties.values()] as ScalarProperty[]
  t.strictSame(members.map(({ name, publicName, column, nullable }) => [name, publicName, column, nullable]), [[
    'street', 'street', 'address_street', true,
  ], ['city', 'city', 'address_city', true]])
  t.match(property(models.of(Specimen), 'size'), {
    kind: 'scalar', column: 'size', type: { kind: 'json', binary: true }, nullable: true,
  })
})

t.test('a relation knows whether the entity of the target columns declares an index on them', async (t) => {
  const House = defineEntity({
    name: 'House',
    properties: {
      id: p.integer().primary(),
      ...Object.fromEntries(
        ['plain', 'own', 'unique', 'first', 'second', 'partial', 'expression', 'brin'].map((name) => [
          name,
          () => p.oneToMany(Door).mappedBy(name as never),
        ])
      ),
      windows: () => p.oneToMany(Window).mappedBy('house'),
      numbered: () => p.oneToMany(Window).mappedBy('other'),
    },
  })
  const Door = defineEntity({
    name: 'Door',
    indexes: [
      { properties: ['first', 'width'] },
      { properties: ['width', 'second'] },
      { properties: ['partial'], where: 'width > 1' },
      { properties: ['brin'], type: 'brin' },
      { properties: ['expression'], expression: 'create index "door_expression" on "door" (length(width))' },
    ],
    properties: {
      id: p.integer().primary(), width: p.integer(), plain: () => p.manyToOne(House),
      own: () => p.manyToOne(House).index(), unique: () => p.manyToOne(House).unique(), first: () => p.manyToOne(House),
      second: () => p.manyToOne(House), partial: () => p.manyToOne(House), expression: () => p.manyToOne(House),
      brin: () => p.manyToOne(House),
    },
  })
  const Window = defineEntity({
    name: 'Window',
    properties: {
      house: () => p.manyToOne(House).primary(), number: p.integer().primary(), other: () => p.manyToOne(House),
      panes: () => p.oneToMany(Pane).mappedBy('window'),
    },
  })
  const Pane = defineEntity({
    name: 'Pane',
    properties: { id: p.integer().primary(), window: () => p.manyToOne(Window).index() },
  })
  const of = modelsOf([House, Door, Window, Pane])
  const indexed = (entity: unknown, name: string) => {
    return relation(of.of(entity), name).join.indexed
  }
  for (const name of ['own', 'unique', 'first', 'windows']) t.ok(indexed(House, name), name)
  for (const name of ['plain', 'second', 'partial', 'expression', 'brin', 'numbered']) {
    t.notOk(indexed(House, name), name)
  }
  t.ok(indexed(Door, 'plain'), 'a primary key')
  t.ok(indexed(Pane, 'window'), 'a primary key of several columns')
  t.ok(indexed(Window, 'panes'), 'a foreign key of several columns')
})

t.test('a key that refers to a bigint has the declared form of the bigint', async (t) => {
  const Entry = defineEntity({ name: 'Entry', properties: { id: p.bigint('string').primary() } })
  const Count = defineEntity({ name: 'Count', properties: { id: p.bigint('number').primary() } })
  const Line = defineEntity({
    name: 'Line',
    properties: {
      id: p.integer().primary(), entry: () => p.manyToOne(Entry), count: () => p.manyToOne(Count),
      next: () => p.oneToOne(Line).nullable(),
    },
  })
  const line = modelsOf([Entry, Count, Line]).of(Line)
  t.match(relation(line, 'entry').key, [{ type: { kind: 'bigint', form: 'string' } }])
  t.match(relation(line, 'count').key, [{ type: { kind: 'bigint', form: 'number' } }])
})

t.test('with single-table inheritance, a class has its own rows and those of its subclasses', async (t) => {
  t.strictSame(models.of(Parcel).discriminator, { column: 'kind', values: ['parcel'] })
  t.equal(models.of(Delivery).discriminator, undefined, 'an abstract root has all')
  t.ok(models.of(Delivery).properties.has('carrier'), 'what only some of its rows have')
  t.equal(scalar(models.of(Delivery), 'carrier').nullable, true)
  t.equal(scalar(models.of(Parcel), 'carrier').nullable, false)
  t.notOk(models.of(Parcel).properties.has('counter'))

  const Animal = defineEntity({
    name: 'Animal', discriminatorColumn: 'type', discriminatorValue: 'animal',
    properties: { id: p.integer().primary(), type: p.string().fieldName('animal_type') },
  })
  const Dog = defineEntity({ name: 'Dog', extends: Animal, discriminatorValue: 'dog', properties: {} })
  const Puppy = defineEntity({ name: 'Puppy', extends: Dog, discriminatorValue: 'puppy', properties: {} })
  const animals = modelsOf([Animal, Dog, Puppy])
  t.strictSame(animals.of(Animal).discriminator, { column: 'animal_type', values: ['animal', 'dog', 'puppy'] })
  t.strictSame(animals.of(Dog).discriminator?.values, ['dog', 'puppy'])
  t.strictSame(animals.of(Puppy).discriminator?.values, ['puppy'])
})

t.test('a table in another schema is qualified, and quotes are doubled', async (t) => {
  t.equal(models.of(AuditEntry).table, '"audit"."entry"')
  t.equal(models.of(Order).table, '"order"')
  t.equal(modelOf('Odd', {}, { schema: 'a"b', tableName: 'T"x' }).table, '"a""b"."T""x"')
  const Any = defineEntity({ name: 'Any', schema: '*', properties: { id: p.integer().primary() } })
  t.equal(modelsOf([Any]).of(Any).table, '"any"')
  const inApp = modelsOf(undefined, { schema: 'app' })
  t.strictSame([Plant, AuditEntry].map((entity) => inApp.of(entity).table), ['"app"."plant"', '"audit"."entry"'],
    "the ORM's schema is for those that name none")
  t.match(relation(inApp.of(Plant), 'tags').join, { table: '"app"."plant_tags"' })
  t.equal(modelsOf([Any], { schema: 'app' }).of(Any).table, '"app"."any"')
})

t.test('soft delete needs a nullable datetime called deleted_at, as property or column', async (t) => {
  t.equal(models.of(Plant).deletedAt?.name, 'deleted_at')
  t.equal(models.of(Shelf).deletedAt, undefined)
  const made = (properties: Record<string, any>) => modelOf('Soft', properties).deletedAt
  t.match(made({ deletedAt: p.datetime().nullable() }), { name: 'deletedAt', column: 'deleted_at' })
  t.match(made({ deleted_at: p.datetime().fieldName('removed').nullable() }), { name: 'deleted_at', column: 'removed' })
  t.match(made({ deletedAt: p.datetime().nullable().hidden() }), { hidden: true }, 'a hidden one, too')
  t.equal(made({ deletedAt: p.datetime() }), undefined, 'one that is always set marks nothing')
  t.equal(made({ deleted_at: p.date().nullable() }), undefined, 'a date is no moment')
  t.equal(made({ deleted_at: p.boolean().nullable() }), undefined)
  t.equal(made({ deleted_at: p.datetime().formula('now()').nullable() }), undefined)
})

t.test('uuid must be a unique and visible UUID', async (t) => {
  t.equal(models.of(Plant).uuid?.column, 'uuid')
  t.equal(models.of(Customer).uuid, undefined)
  const made = (uuid: any) => modelOf('Thing', { uuid }).uuid?.name
  t.equal(made(p.uuid().unique()), 'uuid')
  t.equal(made(p.uuid()), undefined)
  t.equal(made(p.string().unique()), undefined)
  t.equal(made(p.uuid().unique().hidden()), undefined)
})

t.test('a version property is found', async (t) => {
  t.equal(models.of(Order).version?.name, 'version')
  t.equal(models.of(Plant).version, undefined)
})

t.test("custom types and serializers are codecs, and MikroORM's own types are not", async (t) => {
  const specimen = models.of(Specimen)
  const withCodec = [...specimen.properties.values()].filter((property) =>
    property.kind === 'scalar' && property.codec !== undefined
  ).map(({ name }) => name)
  t.strictSame(withCodec, ['minimum', 'petals'])

  const petals = scalar(specimen, 'petals').codec!
  t.equal(petals.toWire('#967bb6'), '#967bb6')
  t.equal(petals.toWire(null), null)
  t.strictSame(petals.toDatabase!('#967bb6'), { ok: true, value: '#967bb6' })
  t.match(petals.toDatabase!('\0'), { ok: false })
  t.strictSame([petals.read, petals.write], [undefined, undefined])

  const minimum = scalar(specimen, 'minimum').codec!
  t.equal(minimum.read!('"e0"."minimum"'), '("e0"."minimum" / 10.0)::float8')
  t.equal(minimum.write, '(?::numeric * 10)::int')
  t.strictSame(minimum.toDatabase!('12.5'), { ok: true, value: '12.5' },
    "what SQL converts is not yet of the column's type")
  t.equal(minimum.toWire(-12.5), -12.5)

  const country = scalar(models.of(Supplier), 'country').codec!
  t.equal(country.toWire('fr'), 'FR')
  t.equal(country.toDatabase, undefined, 'a serializer has no say in what is stored')
})

t.test('a serializer gets the JavaScript value of the property', async (t) => {
  const seen: unknown[] = []
  const note = (value: unknown) => {
    seen.push(value)
    return 'written'
  }
  const noted = modelOf('Noted', {
    at: p.datetime().serializer(note), huge: p.bigint('bigint').serializer(note),
    digits: p.bigint('string').serializer(note), count: p.bigint('number').serializer(note),
    bytes: p.blob().serializer(note), text: p.string().nullable().serializer(note),
  })
  for (const [name, value] of Object.entries({
    at: '2024-05-06T07:08:09.123Z', huge: '12', digits: '12', count: 12, bytes: 'AAEC', text: null,
  })) t.equal(scalar(noted, name).codec!.toWire(value), 'written')
  t.strictSame(seen, [new Date('2024-05-06T07:08:09.123Z'), 12n, '12', 12, Buffer.from([0, 1, 2]), null])
})

t.test('a custom type refuses a value by throwing, or by returning undefined', async (t) => {
  class Even extends Type<number, number> {
    override convertToDatabaseValue (value: unknown): any {
      if (Number(value) % 2 !== 0) throw new RangeError('odd')
      return value === '0' ? undefined : Number(value)
    }

    override getColumnType (): string {
      return 'int'
    }
  }
  const { toDatabase } = scalar(modelOf('Pair', { size: p.type(Even) }), 'size').codec!
  t.strictSame(toDatabase!('4'), { ok: true, value: 4 })
  t.strictSame(toDatabase!('3'), { ok: false, expected: 'a value of its type' })
  t.strictSame(toDatabase!('0'), { ok: false, expected: 'a value of its type' })
  t.match(toDatabase!('4294967296'), { ok: false, expected: /an integer from/ }, 'and the column has its say')
})

t.test('an entity that cannot be a resource is refused', async (t) => {
  t.throws(() => modelOf('Long', { text: p.string().serializedName('é'.repeat(32)) }),
    refused(/^The name 'é{32}' of Long is longer than 63 bytes\.$/))
  t.doesNotThrow(() =>
    modelOf('Fits', {
      text: p.string().serializedName('é'.repeat(31)),
      hidden: p.string().hidden().serializedName('x'.repeat(64)),
    })
  )
  t.throws(() => modelOf('Twice', { a: p.string(), b: p.string().serializedName('a') }),
    refused("Two properties of Twice have the public name 'a'."))
  t.doesNotThrow(() => modelOf('Hidden', { a: p.string().hidden(), b: p.string().serializedName('a') }),
    'a hidden name is free')
  for (const name of ['toString', 'valueOf', 'hasOwnProperty']) {
    t.throws(() => modelOf('Odd', { [name]: p.string() }),
      refused(`Odd.${name}: a property cannot have the name '${name}', which every JavaScript object has. Choose ` +
        "another one. fieldName('...') keeps its column, serializedName('...') names it for clients."))
  }
  t.throws(() => modelOf('Race', { team: p.string().serializedName('constructor') }),
    refused(/^Race\.team: a property cannot have the name 'constructor'/), 'nor for clients')

  const Part = defineEntity({ name: 'Part', embeddable: true, properties: { a: p.string() } })
  const Whole = defineEntity({ name: 'Whole', properties: { id: p.integer().primary(), part: () => p.embedded(Part) } })
  t.throws(() => modelsOf([Part, Whole]).of(Part),
    refused("The entity Part can't be a resource: it is an embeddable, a part of the records of others."))
  const Query = defineEntity({ name: 'Query', expression: 'select 1 as id', properties: { id: p.integer() } })
  t.throws(() => modelsOf([Query]).of(Query),
    refused(/^The entity Query can't be a resource: it is a virtual entity, which has no table\. With `view: true` /))
  const Vehicle = defineEntity({ name: 'Vehicle', inheritance: 'tpt', properties: { id: p.integer().primary() } })
  const Boat = defineEntity({ name: 'Boat', extends: Vehicle, properties: { draught: p.float() } })
  t.throws(
    () => modelsOf([Vehicle, Boat]).of(Boat),
    refused(
      /^The entity Boat can't be a resource: with table-per-type inheritance its properties are in several tables\. A view /
    )
  )
})

t.test('views and properties that MikroORM does not write are never written', async (t) => {
  const Total = defineEntity({
    name: 'Total', view: true, expression: 'select 1 as id, 2 as sum',
    properties: { id: p.integer().primary(), sum: p.integer() },
  })
  const Stored = defineEntity({
    name: 'Stored', view: { materialized: true }, expression: 'select 1 as id',
    properties: { id: p.integer().primary() },
  })
  const Fixed = defineEntity({
    name: 'Fixed', readonly: true, properties: { id: p.integer().primary(), name: p.string() },
  })
  const some = modelsOf([Total, Stored, Fixed])
  t.strictSame([Total, Stored, Fixed].map((entity) => some.of(entity).readOnly), [
    'it is a view', 'it is a view', 'it is declared `readonly`',
  ])
  for (const model of [some.of(Total), some.of(Fixed)]) {
    for (const { name, write } of model.properties.values()) {
      t.match(write, { persisted: false, writable: false }, name)
    }
  }
  t.equal(models.of(Plant).readOnly, undefined)
})

t.test('links that a pivot entity would refuse are never written', async (t) => {
  const part = { tenant: p.integer().primary(), id: p.integer().primary() }
  const Tune: any = defineEntity({
    name: 'Tune',
    properties: {
      ...part,
      lists: () => p.manyToMany(Playlist).mappedBy('tunes' as never),
      liked: () => p.manyToMany(Playlist).mappedBy('liked' as never),
    },
  })
  const keys = {
    tenant: p.integer().primary(),
    playlist: () => p.manyToOne(Playlist).joinColumns('tenant', 'playlist_id').primary(),
    tune: () => p.manyToOne(Tune).joinColumns('tenant', 'tune_id').primary(),
  }
  const Entry = defineEntity({ name: 'Entry', properties: { ...keys, place: p.integer().default(1) } })
  const Like = defineEntity({ name: 'Like', properties: { ...keys, stars: p.integer() } })
  const Playlist: any = defineEntity({
    name: 'Playlist',
    properties: {
      ...part, tunes: () => p.manyToMany(Tune).pivotEntity(() => Entry),
      liked: () => p.manyToMany(Tune).pivotEntity(() => Like),
    },
  })
  const some = modelsOf([Tune, Playlist, Entry, Like])
  for (const [entity, open] of [[Playlist, 'tunes'], [Tune, 'lists']] as const) {
    t.equal(relation(some.of(entity), open).write.closed, undefined)
    t.equal(relation(some.of(entity), 'liked').write.closed,
      "the rows of Like need a 'stars', which has no default in the database")
  }
})

t.test('two entities with the same name and different tables are different', async (t) => {
  const make = (schema: string, name: string) =>
    defineEntity({ name: 'Account', schema, properties: { id: p.integer().primary(), [name]: p.string() } })
  const [crm, billing] = [make('crm', 'contact'), make('billing', 'iban')]
  const both = modelsOf([crm, billing])
  t.strictSame([crm, billing].map((entity) => [both.of(entity).table, ...both.of(entity).properties.keys()]), [[
    '"crm"."account"', 'id', 'contact',
  ], ['"billing"."account"', 'id', 'iban']])
})

t.test('paths are looked up by property names and written with public ones', async (t) => {
  const plant = models.of(Plant)
  const written = (path: string) => publicPath(resolvePath(plant, path, 'x'))
  t.equal(written('articleNumber'), 'sku')
  t.equal(written('supplier.address.city'), 'supplier.address.city')
  t.equal(written('orderItems.plant.articleNumber'), 'orderItems.plant.sku')
  t.match(resolvePath(plant, 'supplier.address.city', 'x'), {
    relations: [{ name: 'supplier' }], embedded: [{ name: 'address' }], property: { column: 'address_city' },
  })
})

t.test('an unknown name is refused with the nearest one, and a hidden one because it is hidden', async (t) => {
  const plant = models.of(Plant)
  const fails = (path: string) => {
    try {
      resolvePath(plant, path, 'It')
    } catch (error) {
      return (error as Error).message
    }
  }
  t.throws(() => resolvePath(modelOf('Dotted', { 'a.b': p.string() }), 'a.b', 'It'), {
    message: "It: in a whitelist, a point follows a relation or an object, so the property 'a.b' of Dotted cannot be " +
      'named. Give it a name without a point; fieldName may keep the name of its column.',
  })
  for (const [path, message] of [
    ['nmae', "It: Plant has no property 'nmae' that can be exposed. Did you mean 'name'?"],
    ['supplier.nmae', "It: Supplier has no property 'nmae' that can be exposed. Did you mean 'supplier.name'?"],
    ['supplier.address.cty',
      "It: Supplier.address has no property 'cty' that can be exposed. Did you mean 'supplier.address.city'?"],
    ['name.x.y', "It: 'name' of Plant is not a relation, so 'x.y' can't follow it."],
    ['supplier.email',
      "It: 'email' of Supplier is hidden, so clients cannot name it. Remove 'hidden' from the property to expose it."],
  ] as const) t.equal(fails(path), message)
  t.match(fails('selected'), /has no property 'selected'/)
  t.match(fails('qqqqqqqqqqqqqqqqqqqq'), /It has: id, uuid, created_at, .*supplier.*\.$/)
  t.notMatch(fails('qqqqqqqqqqqqqqqqqqqq'), 'purchasePrice')
  t.match(fails('__proto__'), /has no property '__proto__'/)
})
