/** A small catalogue: twelve categories with products, a few articles, and orders of products. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { Article, Author, Category, Order, OrderLine, Product, Tag } from '../entities/index.ts'

type Status = Category['status']
type ProductRow = readonly [name: string, price: number, stock: number, tags?: string]
interface CategoryRow {
  name: string
  description?: string
  price?: number
  status?: Status
  tags?: string
  products?: readonly ProductRow[]
}

const TAGS = ['new', 'sale', 'eco', 'gift', 'outdoor', 'handmade', 'bestseller']

const CATEGORIES: readonly CategoryRow[] = [
  {
    name: 'Tech',
    description: 'Laptops, phones and what plugs into them',
    price: 499,
    status: 'active',
    tags: 'new bestseller',
    products: [
      ['Laptop 14"', 1299, 12, 'bestseller'],
      ['Noise-cancelling headphones', 249.9, 40, 'bestseller gift'],
      ['Mechanical keyboard', 119, 25, 'new'],
      ['USB-C dock', 89.5, 60],
      ['Webcam', 74.99, 0],
    ],
  },
  {
    name: 'Books',
    description: 'Printed on paper',
    price: 25,
    status: 'active',
    tags: 'gift bestseller',
    products: [['The Art of Indexing', 39.9, 120, 'bestseller'], ['Queries and Other Poems', 18, 75, 'gift new'], [
      'A Short History of NULL',
      22.5,
      0,
    ], ['Cooking for Pagers', 27, 33, 'gift']],
  },
  {
    name: 'Kitchen',
    description: 'Pots, pans & knives',
    price: 79,
    status: 'active',
    tags: 'gift',
    products: [['Cast-iron pan', 64, 30, 'bestseller'], ["Chef's knife", 95, 18, 'gift handmade'], [
      'French press',
      34.9,
      55,
    ], ['Oak chopping board', 42, 21, 'eco handmade']],
  },
  {
    name: 'Garden',
    description: 'Everything that grows, and what keeps it in check',
    price: 45,
    status: 'active',
    tags: 'outdoor eco',
    products: [['Secateurs', 29.9, 80, 'outdoor'], ['Watering can, 10 l', 24.5, 64, 'eco outdoor'], [
      'Raised bed',
      139,
      9,
      'outdoor',
    ]],
  },
  {
    name: 'Sports',
    description: 'For people who like to sweat',
    price: 110,
    status: 'active',
    tags: 'outdoor',
    products: [['Trail running shoes', 139, 44, 'outdoor new'], ['Yoga mat', 39, 90, 'eco'], [
      'Climbing rope, 60 m',
      179,
      7,
      'outdoor',
    ]],
  },
  {
    name: 'Music',
    description: 'Instruments and sheet music',
    price: 320,
    status: 'active',
    tags: 'handmade',
    products: [['Ukulele', 89, 26, 'gift handmade'], ['Digital piano', 749, 4, 'bestseller'], ['Metronome', 31.5, 15]],
  },
  {
    name: 'Toys',
    description: 'Wooden, mostly',
    price: 30,
    status: 'active',
    tags: 'gift eco',
    products: [['Train set', 59, 32, 'gift eco'], ['Kite', 24.9, 0, 'outdoor'], [
      '100% cotton bear',
      28,
      48,
      'gift eco',
    ]],
  },
  {
    name: 'Office',
    description: 'Paper_clips and other supplies',
    price: 15,
    status: 'active',
    products: [['Fountain pen', 68, 14, 'gift'], ['Notebook, dotted', 12.9, 210, 'eco'], [
      'Standing desk',
      489,
      5,
      'new',
    ]],
  },
  {
    name: 'Tech Refurbished',
    description: 'Used devices, tested and cleaned',
    price: 199,
    status: 'draft',
    tags: 'eco sale',
    products: [['Laptop 13", used', 549, 6, 'eco sale'], ['Phone, used', 229, 11, 'eco']],
  },
  {
    name: 'Vintage',
    description: 'One of each',
    price: 250,
    status: 'draft',
    products: [['Typewriter', 180, 1, 'handmade']],
  },
  {
    name: 'Film Cameras',
    description: 'No longer made',
    price: 310,
    status: 'archived',
    products: [['Rangefinder', 620, 0], ['Film, 36 exposures', 14.5, 3]],
  },
  { name: 'Unsorted' },
]

const AUTHORS = [['Ada Quist', 'ada@example.com'], ['Benoît Marchand', 'benoit@example.com'], [
  "Carla O'Neill",
  'carla@example.com',
]] as const

const ARTICLES = [
  ['How to choose a laptop', 'Tech', 0, '2026-02-03T09:00:00.000Z'],
  ['Keyboards: a love story', 'Tech', 1, '2026-03-14T15:09:26.535Z'],
  ['Ten books on databases', 'Books', 0, '2026-04-23T08:30:00.000Z'],
  ['Seasoning cast iron', 'Kitchen', 2, '2026-05-01T10:00:00.000Z'],
  ['What to sow in March', 'Garden', 2, '2026-03-01T06:00:00.000Z'],
  ['Winter pruning', 'Garden', 1, undefined],
  ['About this shop', undefined, 0, '2026-01-01T00:00:00.000Z'],
] as const

const ORDERS = [
  ['Nadia Okafor', 'shipped', 'Leave it at the porter.', [['Laptop 14"', 1], ['USB-C dock', 2]]],
  ['Jonas Lind', 'paid', undefined, [['The Art of Indexing', 1], ['Notebook, dotted', 6], ['Fountain pen', 1]]],
  ['Nadia Okafor', 'open', undefined, [['Cast-iron pan', 1]]],
  ['Mei Tanaka', 'open', 'A present: no invoice in the box.', [['Ukulele', 1], ['Kite', 2]]],
] as const

/** The id in the examples of the API documentation, so that they can be tried. */
const FIRST = '3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b10'

/** Fills an empty database and flushes. */
export async function seed (em: EntityManager): Promise<void> {
  const tags = new Map(TAGS.map((name) => [name, em.create(Tag, { name })]))
  const tagged = (names = '') => names.split(' ').flatMap((name) => tags.get(name) ?? [])
  // one day between rows, so that sorting by time has a visible effect
  let day = 0
  const dates = () => {
    const at = new Date(Date.UTC(2026, 0, ++day, 8, 30))
    return { created_at: at, updated_at: at }
  }
  const categories = new Map<string, Category>()
  const byName = new Map<string, Product>()
  for (const { tags: names, products = [], ...data } of CATEGORIES) {
    const category = em.create(Category, { ...data, ...dates(), ...(categories.size === 0 && { id: FIRST }) })
    category.tags.add(tagged(names))
    categories.set(category.name, category)
    for (const [index, [name, price, stock, names]] of products.entries()) {
      const sku = `${category.name.toUpperCase().replaceAll(' ', '-')}-${index + 1}`
      const product = em.create(Product, { sku, name, price, stock, category, ...dates() })
      product.tags.add(tagged(names))
      byName.set(name, product)
    }
  }
  // a deleted row: DELETE only marks rows of an entity that has deleted_at
  em.create(Product, {
    name: 'Fax machine',
    price: 89,
    category: categories.get('Tech')!,
    ...dates(),
    deleted_at: new Date('2026-06-01T00:00:00.000Z'),
  })
  const authors = AUTHORS.map(([name, email]) => em.create(Author, { name, email, ...dates() }))
  for (const [title, category, author, published] of ARTICLES) {
    em.create(Article, {
      title,
      body: `${title}: what we have learned so far.`,
      author: authors[author]!,
      category: category && categories.get(category),
      published_at: published === undefined ? null : new Date(published),
      ...dates(),
    })
  }
  em.create(Article, {
    title: 'Fax or telex?',
    body: 'Neither.',
    author: authors[2]!,
    category: categories.get('Tech')!,
    published_at: new Date('2026-05-01T08:00:00.000Z'),
    ...dates(),
    deleted_at: new Date('2026-06-01T00:00:00.000Z'),
  })
  for (const [customer, status, note, lines] of ORDERS) {
    const order = em.create(Order, { customer, status, note, ...dates() })
    for (const [name, quantity] of lines) em.create(OrderLine, { order, product: byName.get(name)!, quantity })
  }
  await em.flush()
}
