/** One small model in each way of declaring MikroORM entities. */
import {
  defineEntity, EntityRepositoryType, EntitySchema, HiddenProps, OptionalProps, p, type Collection, type Hidden,
  type InferEntity, type Opt, type Ref, type ScalarReference,
} from '@mikro-orm/core'
import { Entity, ManyToOne, OneToMany, PrimaryKey, Property } from '@mikro-orm/decorators/es'

// defineEntity. The entities refer to each other, and Category to itself.
export const CategorySchema = defineEntity({
  name: 'Category',
  properties: {
    id: p.uuid().primary(),
    name: p.string(),
    price: p.decimal().nullable(),
    status: p.enum(['draft', 'active']).default('draft'),
    labels: p.array(),
    settings: p.json<{ theme: string }>().nullable(),
    notes: p.text().lazy().ref(),
    secret: p.string().hidden(),
    created_at: p.datetime().onCreate(() => new Date()),
    parent: () => p.manyToOne(CategorySchema).nullable(),
    children: () => p.oneToMany(CategorySchema).mappedBy('parent'),
    products: () => p.oneToMany(ProductSchema).mappedBy('category'),
    author: () => p.manyToOne(AuthorSchema).ref().nullable(),
  },
})
export type Category = InferEntity<typeof CategorySchema>

export const ProductSchema = defineEntity({
  name: 'Product',
  properties: {
    id: p.integer().primary(), price: p.decimal(), category: () => p.manyToOne(CategorySchema),
    tags: () => p.manyToMany(TagSchema),
  },
})
export type Product = InferEntity<typeof ProductSchema>

export const TagSchema = defineEntity({
  name: 'Tag',
  properties: {
    id: p.integer().primary(), name: p.string(), products: () => p.manyToMany(ProductSchema).mappedBy('tags'),
  },
})

export const AuthorSchema = defineEntity({
  name: 'Author',
  properties: {
    id: p.integer().primary(), name: p.string(), categories: () => p.oneToMany(CategorySchema).mappedBy('author'),
  },
})

// A class on top of defineEntity.
export class Shelf extends defineEntity({
  name: 'Shelf',
  properties: { id: p.integer().primary(), label: p.string(), products: () => p.manyToMany(ProductSchema) },
}).class {
  title () {
    return this.label.toUpperCase()
  }
}

// Decorated classes with MikroORM's own symbols and brands.
@Entity()
export class Publisher {
  [OptionalProps]?: 'founded';
  [HiddenProps]?: 'bank';
  [EntityRepositoryType]?: object
  @PrimaryKey({ type: 'integer' })
  id!: number

  @Property({ type: 'string' })
  name!: string

  @Property({ type: 'datetime' })
  founded: Opt<Date> = new Date()

  @Property({ type: 'string' })
  bank!: string

  @Property({ type: 'string', hidden: true })
  token?: Hidden<string>

  @Property({ type: 'text', lazy: true, ref: true })
  history!: ScalarReference<string>

  @Property({ type: 'json' })
  anything: any

  @Property({ type: 'json' })
  bag: Record<string, unknown> = {}

  @Property({ type: 'json' })
  empty: object = {}

  @OneToMany(() => Book, book => book.publisher)
  books!: Collection<Book>

  rename (name: string) {
    this.name = name
  }
}

@Entity()
export class Book {
  @PrimaryKey({ type: 'integer' })
  id!: number

  @Property({ type: 'string' })
  title!: string

  @ManyToOne(() => Publisher, { ref: true })
  publisher!: Ref<Publisher>

  @ManyToOne(() => Publisher, { nullable: true })
  distributor?: Publisher | null
}

// EntitySchema on interfaces.
export interface Country {
  code: string
  cities: Collection<City>
}
export interface City {
  id: number
  name: string
  country: Country
  twins: City[]
}
export const CountrySchema: EntitySchema<Country> = new EntitySchema<Country>({
  name: 'Country',
  properties: {
    code: { type: 'string', primary: true },
    cities: { kind: '1:m', entity: () => CitySchema, mappedBy: 'country' },
  },
})
export const CitySchema: EntitySchema<City> = new EntitySchema<City>({
  name: 'City',
  properties: {
    id: { type: 'integer', primary: true },
    name: { type: 'string' },
    country: { kind: 'm:1', entity: () => CountrySchema },
    twins: { kind: 'm:n', entity: () => CitySchema },
  },
})
