import type { Loaded } from '@mikro-orm/core'
import { expect, test } from 'tstyche'
import type { PathCheck } from '../../src/config/index.ts'
import type { PathUse } from '../../src/config/paths.ts'
import type { Book, Category, City, Product, Publisher, Shelf } from './fixtures.ts'

/** The paths of a list that are allowed. */
type Fitting<Entity, Path extends string, Use extends PathUse> = Path extends string
  ? PathCheck<Entity, Path, Use> extends true ? Path : never
  : never

test('columns can be filtered, sorted and selected', () => {
  type Columns = 'id' | 'name' | 'price' | 'status' | 'labels' | 'settings' | 'notes' | 'created_at'
  expect<Fitting<Category, Columns, 'filter'>>().type.toBe<Columns>()
  expect<Fitting<Category, Columns, 'sort'>>().type.toBe<Columns>()
  expect<Fitting<Category, Columns, 'field'>>().type.toBe<Columns>()
  expect<Fitting<Category, Exclude<Columns, 'settings'>, 'include'>>().type.toBe<never>()
})

test('an unknown name is refused with a sentence', () => {
  expect<PathCheck<Category, 'nmae', 'filter'>>().type.toBe<"'nmae' is not a property to filter by of this entity">()
  expect<PathCheck<Category, 'nmae', 'sort'>>().type.toBe<"'nmae' is not a property to sort by of this entity">()
  expect<PathCheck<Category, 'nmae', 'field'>>().type.toBe<"'nmae' is not a property to select of this entity">()
  expect<PathCheck<Category, 'nmae', 'include'>>().type.toBe<"'nmae' is not a relation of this entity">()
  expect<Fitting<Category, '' | '.' | 'name.' | '.name' | 'products.' | 'products..price', 'filter'>>().type.toBe<
    never
  >()
})

test('filters and fields follow any relation, and end in a column or a to-one relation', () => {
  type Paths =
    | 'products.price'
    | 'author.name'
    | 'author'
    | 'parent'
    | 'products.tags.name'
    | 'products.category'
    | 'parent.parent.name'
  expect<Fitting<Category, Paths, 'filter'>>().type.toBe<Paths>()
  expect<Fitting<Category, Paths, 'field'>>().type.toBe<Paths>()
  type Wrong = 'products' | 'children' | 'author.nmae' | 'products.tags' | 'name.length' | 'created_at.getTime'
  expect<Fitting<Category, Wrong, 'filter'>>().type.toBe<never>()
  expect<Fitting<Category, Wrong, 'field'>>().type.toBe<never>()
})

test('sorts follow to-one relations, and end in a column or in a to-one relation', () => {
  type Paths = 'author.name' | 'parent.name' | 'parent.author.name' | 'author' | 'parent' | 'parent.author'
  expect<Fitting<Category, Paths, 'sort'>>().type.toBe<Paths>()
  expect<Fitting<Category, 'products' | 'products.price', 'sort'>>().type.toBe<never>()
})

test('includes are relations', () => {
  type Paths = 'products' | 'author' | 'parent' | 'products.tags' | 'author.categories.products'
  expect<Fitting<Category, Paths, 'include'>>().type.toBe<Paths>()
  expect<Fitting<Category, 'name' | 'products.price' | 'prodcuts' | 'products.tgas', 'include'>>().type.toBe<never>()
})

test('counts end in a to-many relation, other aggregates in a column behind a relation', () => {
  expect<
    Fitting<
      Category,
      | 'products'
      | 'children'
      | 'products.tags'
      | 'author.categories'
      | 'author'
      | 'name'
      | 'products.price'
      | 'prodcuts',
      'count'
    >
  >().type
    .toBe<'products' | 'children' | 'products.tags' | 'author.categories'>()
  expect<
    Fitting<
      Category,
      'products.price' | 'products.tags.name' | 'name' | 'products' | 'products.pirce' | 'products.category',
      'aggregate'
    >
  >().type
    .toBe<'products.price' | 'products.tags.name'>()
  expect<Fitting<Category, 'parent.parent.children.name' | 'parent.parent.parent.children.name', 'aggregate'>>().type
    .toBe<'parent.parent.children.name'>()
  expect<Fitting<Category, 'parent.parent.parent.children', 'count'>>().type.toBe<never>()
  expect<PathCheck<Category, 'author', 'count'>>().type.toBe<"'author' is not a to-many relation of this entity">()
  expect<PathCheck<Category, 'name', 'aggregate'>>().type.toBe<
    "'name' is not a property behind a to-many relation of this entity"
  >()
})

test('paths have at most three relations', () => {
  expect<Fitting<Category, 'parent.parent.parent.name', 'filter'>>().type.toBe<'parent.parent.parent.name'>()
  expect<Fitting<Category, 'parent.parent.parent.parent.name', 'filter'>>().type.toBe<never>()
  expect<Fitting<Category, 'parent.parent.parent', 'include'>>().type.toBe<'parent.parent.parent'>()
  expect<Fitting<Category, 'parent.parent.parent.parent', 'include'>>().type.toBe<never>()
})

test("hidden properties, methods and MikroORM's additions are not names", () => {
  expect<Fitting<Category, 'secret', 'filter'>>().type.toBe<never>()
  expect<Fitting<Publisher, 'bank' | 'token' | 'rename' | 'OptionalProps' | 'toString', 'field'>>().type.toBe<never>()
  expect<Fitting<Category, 'products.length' | 'author.unwrap' | 'products.add', 'filter'>>().type.toBe<never>()
})

test('a class on top of defineEntity has its names', () => {
  expect<Fitting<Shelf, 'label' | 'products.tags.name' | 'title' | 'lable', 'filter'>>().type
    .toBe<'label' | 'products.tags.name'>()
})

test('decorated classes have their names', () => {
  type Paths =
    | 'title'
    | 'publisher'
    | 'publisher.name'
    | 'publisher.founded'
    | 'distributor.history'
    | 'publisher.books.title'
  expect<Fitting<Book, Paths | 'publisher.nmae' | 'publisher.bank', 'filter'>>().type.toBe<Paths>()
  expect<Fitting<Book, 'distributor.name' | 'distributor' | 'publisher.books.title', 'sort'>>().type.toBe<
    'distributor' | 'distributor.name'
  >()
  expect<Fitting<Book, 'publisher' | 'distributor' | 'publisher.books' | 'title', 'include'>>().type
    .toBe<'publisher' | 'distributor' | 'publisher.books'>()
})

test('interfaces of an EntitySchema have their names, though their entities may look like plain objects', () => {
  type Paths = 'name' | 'country' | 'country.code' | 'country.cities.name' | 'twins.name'
  expect<Fitting<City, Paths | 'country.cdoe' | 'twins.nmae', 'filter'>>().type.toBe<Paths>()
  expect<Fitting<City, 'country' | 'twins' | 'country.cities' | 'name', 'include'>>().type
    .toBe<'country' | 'twins' | 'country.cities'>()
})

test('loaded entities have their names', () => {
  type Page = Loaded<Category, 'products' | 'author'>
  expect<Fitting<Page, 'name' | 'products.price' | 'author.name' | 'products' | 'nmae' | 'author.nmae', 'filter'>>()
    .type
    .toBe<'name' | 'products.price' | 'author.name'>()
})

test('polymorphic relations have the names of each target', () => {
  interface Comment {
    id: number
    subject: Product | Book | null
  }
  expect<Fitting<Comment, 'subject' | 'subject.price' | 'subject.title' | 'subject.nope', 'filter'>>().type
    .toBe<'subject' | 'subject.price' | 'subject.title'>()
})

test('names that the type cannot check are left to start-up', () => {
  expect<Fitting<Publisher, 'anything' | 'anything.at.all' | 'bag' | 'bag.key' | 'empty', 'filter'>>().type
    .toBe<'anything' | 'anything.at.all' | 'bag' | 'bag.key' | 'empty'>()
  expect<Fitting<any, 'whatever' | 'what.ever', 'sort'>>().type.toBe<'whatever' | 'what.ever'>()
  expect<PathCheck<Category, string, 'filter'>>().type.toBe<any>()
})

test('entities that all refer to each other are checked only along the written path', () => {
  type Many = { [K in `r${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}`]: Node }
  interface Node extends Many {
    id: number
    name: string
  }
  expect<Fitting<Node, 'r00.r12.r99.name' | 'r00.r12.r99.nmae', 'filter'>>().type.toBe<'r00.r12.r99.name'>()
})
