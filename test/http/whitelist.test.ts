/** An invalid whitelist stops the server before its first request. */
import Fastify from 'fastify'
import t from 'tap'
import {
  AllowedField, AllowedFilters, AllowedInclude, AllowedSort, CrudBase, crudKit, QueryBuilderConfig, type Operator,
} from '../../src/index.ts'
import { entities, OrderItem, Plant, Specimen, Supplier } from '../fixtures/entities.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { resource } from './helper.ts'

await forEachDatabase(t, { entities }, async (t, { orm }) => {
  /** The error of `app.ready()`, or `undefined`. */
  const startUp = async (crud: CrudBase | (() => CrudBase)): Promise<any> => {
    const app = Fastify()
    try {
      app.register(crudKit, { orm, resources: { '/r': typeof crud === 'function' ? crud() : crud } })
      await app.ready()
      return undefined
    } catch (error) {
      return error
    } finally {
      await app.close()
    }
  }
  const filter = (
    name: string,
    ...operators: Operator[]
  ) => [new AllowedFilters(name, operators[0] ?? 'eq', operators.length > 0 ? operators : ['eq'])]

  t.test('an unknown property is named, with the nearest one', async (t) => {
    for (const [crud, message] of [
      [
        () => resource(Plant, { allowedFilters: filter('nmae') }),
        /^AllowedFilters 'nmae': Plant has no property 'nmae' that can be exposed\. Did you mean 'name'\?$/,
      ],
      [
        () => resource(Plant, { allowedFilters: [AllowedFilters.partial('descripton')] }),
        /Did you mean 'description'\?/,
      ],
      [
        () => resource(Plant, { allowedFilters: filter('supplier.nam') }),
        /^AllowedFilters 'supplier\.nam': Supplier has no property 'nam'.* Did you mean 'supplier\.name'\?/,
      ],
      [() => resource(Plant, { allowedFilters: filter('suplier.name') }), /Did you mean 'supplier\.name'\?/],
      [
        () => resource(Plant, { allowedFilters: filter('supplier.address.cty') }),
        /Did you mean 'supplier\.address\.city'\?/,
      ],
      [
        () => resource(Plant, { allowedSorts: [new AllowedSort('name', 'pirce')] }),
        /^AllowedSort 'pirce': .* Did you mean 'price'\?/,
      ],
      [
        () => resource(Plant, { allowedFields: [new AllowedField('nam')] }),
        /^AllowedField 'nam': .* Did you mean 'name'\?/,
      ],
      [() => resource(Plant, { allowedFields: [new AllowedField('tags.nmae')] }), /Did you mean 'tags\.name'\?/],
      [
        () => resource(Plant, { allowedIncludes: [new AllowedInclude('tag')] }),
        /^AllowedInclude 'tag': .* Did you mean 'tags'\?/,
      ],
      [
        () => resource(Plant, { allowedIncludes: [new AllowedInclude('tags.plnts')] }),
        /Did you mean 'tags\.plants'\?/,
      ],
      [() => resource(Plant, { defaultSort: ['-created'] }), /^defaultSort '-created': .*/],
      [() => resource(Plant, { allowedFilters: filter('sku') }), /Did you mean 'articleNumber'\?/],
      [() => resource(Plant, { allowedSorts: [new AllowedSort('supplier_id')] }), /Did you mean 'supplier'\?/],
      [() => resource(Plant, { allowedFields: [new AllowedField('in_stock')] }), /Did you mean 'inStock'\?/],
      [
        () => resource(Plant, { allowedFilters: filter('zzzzzzzzzzzz') }),
        /Plant has no property 'zzzzzzzzzzzz' that can be exposed\. It has: id, uuid, /,
      ],
      [
        () => resource(Plant, { allowedFilters: filter('name.length') }),
        /'name' of Plant is not a relation, so 'length' can't follow it/,
      ],
    ] as const) {
      const error = await startUp(crud)
      t.match(error, { code: 'FST_CRUD_CONFIG_INVALID', message }, String(message))
    }
  })

  t.test('a hidden property gets the message of an absent one', async (t) => {
    for (const crud of [
      resource(Plant, { allowedFilters: filter('purchasePrice') }),
      resource(Plant, { allowedFilters: filter('supplier.email') }),
      resource(Supplier, { allowedSorts: [new AllowedSort('email')] }),
      resource(Supplier, { allowedFields: [new AllowedField('email')] }),
      resource(Plant, { defaultSort: ['purchasePrice'] }),
      resource(Plant, { allowedFilters: [AllowedFilters.custom('purchasePrice', (qb) => qb)] }),
    ]) {
      const { message } = await startUp(crud)
      t.match(message, /has no property '(purchasePrice|email)' that can be exposed/)
      t.notMatch(message, /Did you mean '(purchasePrice|email)'/)
    }
    t.match(await startUp(resource(Plant, { allowedFields: [new AllowedField('selected')] })), {
      message: /has no property 'selected'/,
    }, 'nor is there what is not in the database')
  })

  t.test('an entry that does not work on its property is refused', async (t) => {
    for (
      const [crud, message] of [
        [
          resource(Plant, { allowedFilters: [new AllowedFilters('name', { type: 'string' })] }),
          /AllowedFilters 'name': the option 'type' is for values inside of a JSON column, and the type of 'name' is known/,
        ],
        [
          resource(Plant, {
            allowedFilters: [
              AllowedFilters.anyOf('any', [
                AllowedFilters.exact('supplier.name', { type: 'string' }),
                AllowedFilters.exact('name'),
              ]),
            ],
          }),
          /the type of 'supplier\.name' is known/,
        ],
        [
          resource(Plant, { allowedFilters: filter('price', 'like') }),
          /the operator 'like' does not work on a property of type decimal/,
        ],
        [
          resource(Plant, { allowedFilters: filter('inStock', 'gte') }),
          /'gte' does not work on a property of type boolean/,
        ],
        [resource(Specimen, { allowedFilters: filter('scan', 'eq') }), /'eq' does not work on a property of type blob/],
        [
          resource(Specimen, { allowedFilters: filter('pruned', 'in') }),
          /'in' does not work on a property of type array/,
        ],
        [
          resource(Specimen, { allowedFilters: filter('readings', 'lt') }),
          /'lt' does not work on a property of type json/,
        ],
        [
          resource(Specimen, { allowedFilters: filter('dormancy', 'eq') }),
          /'eq' does not work on a property of type interval/,
        ],
        [
          resource(Specimen, { allowedFilters: filter('flowering', 'contains') }),
          /'contains' does not work on a property of type enum/,
        ],
        [
          resource(Specimen, { allowedFilters: filter('tracker', 'starts') }),
          /'starts' does not work on a property of type uuid/,
        ],
        [
          resource(Plant, { allowedFilters: filter('shelf', 'eq') }),
          /'eq' does not work on a property of type composite key \(name a property behind it\)/,
        ],
        [
          resource(Plant, { allowedSorts: [new AllowedSort('shelf')] }),
          /values of type composite key \(name a property behind it\) have no order/,
        ],
        [resource(Specimen, { allowedSorts: [new AllowedSort('scan')] }), /have no order/],
        [
          resource(Plant, { allowedFilters: filter('tags') }),
          /'tags' has no key column to compare; name a property behind it, such as 'tags\.id'/,
        ],
        [resource(Plant, { allowedFilters: filter('label') }), /'label' has no key column/],
        [
          resource(Supplier, { allowedFilters: filter('address') }),
          /'address' is an embedded object; name one of its properties/,
        ],
        [
          resource(Plant, { allowedSorts: [new AllowedSort('tags.name')] }),
          /a sort can't go through the to-many relation 'tags'/,
        ],
        [resource(Plant, { defaultSort: ['tags.name'] }), /a sort can't go through the to-many relation 'tags'/],
        [resource(Plant, { allowedIncludes: [new AllowedInclude('name')] }), /'name' is not a relation/],
        [
          resource(Plant, { allowedFields: [new AllowedField('tags')] }),
          /'tags' is not a column; allow it as an include/,
        ],
        [
          resource(Supplier, { allowedFields: [new AllowedField('address.city')] }),
          /an embedded object is selected as a whole/,
        ],
        [
          resource(Plant, {
            allowedFilters: [new AllowedFilters('price', { alias: 'sku' }), new AllowedFilters('articleNumber')],
          }),
          /two entries are 'sku' in the URL/,
        ],
      ] as const
    ) t.match(await startUp(crud), { code: 'FST_CRUD_CONFIG_INVALID', message }, String(message))
  })

  t.test('an entity that the ORM does not know is refused', async (t) => {
    class Stranger {}
    t.match(await startUp(resource(Stranger)), {
      code: 'FST_CRUD_CONFIG_INVALID',
      message: /The entity Stranger is not one of the ORM's: .*Add it to the ORM's "entities"/,
    })
  })

  t.test('mistakes that need no server are refused by the constructor', async (t) => {
    const config = (options: object) => () => new QueryBuilderConfig(options as never)
    t.throws(config({ allowedFilter: [] }), {
      code: 'FST_CRUD_CONFIG_INVALID',
      message: /Did you mean 'allowedFilters'\?/,
    })
    t.throws(config({ allowedFilters: ['name'] }), { message: /write AllowedFilters\.exact\('name'\)/ })
    t.throws(config({ pagination: { maxPerPag: 1 } }), { message: /Did you mean 'maxPerPage'\?/ })
    t.throws(() => new AllowedFilters('name', 'equals' as never), { message: /there is no operator 'equals'/ })
    t.throws(() => new AllowedFilters('name', 'eq', ['gte'] as never), { message: /must hold the default/ })
    t.throws(() => new AllowedSort('name', { direktion: 'desc' } as never), { message: /Did you mean 'direction'\?/ })
    t.throws(() => new CrudBase({} as never), { message: /'model' is required/ })
    t.throws(() => new CrudBase({ model: Plant, queryConfig: { allowedFilter: [] } as never }), {
      message: /there is no option 'allowedFilter'. Did you mean 'allowedFilters'\?/,
    })
    const { queryConfig } = new CrudBase({ model: Plant, queryConfig: { allowedSorts: [new AllowedSort('name')] } })
    t.ok(queryConfig instanceof QueryBuilderConfig && Object.isFrozen(queryConfig))
    t.equal(new CrudBase({ model: Plant, queryConfig }).queryConfig, queryConfig)
    t.throws(() => new CrudBase({ model: Plant, writable: 'all', queryConfig: [] as never }), {
      message: /options: expected object, got an array/,
    })
  })

  t.test('a valid whitelist starts', async (t) => {
    t.equal(
      await startUp(
        resource(Plant, {
          allowedFilters: filter('shelf', 'isnull'),
          defaultSort: ['supplier.name', '-id'],
          allowedIncludes: [new AllowedInclude('supplier')],
        })
      ),
      undefined
    )
    t.equal(await startUp(resource(OrderItem, { allowedFilters: filter('order', 'in', 'eq') })), undefined)
  })
})
