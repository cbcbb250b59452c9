/**
 * nestjs-paginate on Nest's Fastify adapter with TypeORM. Decorators are called as functions, because Node runs
 * TypeScript only if its types can be erased.
 */
import 'reflect-metadata'
import { Body, Controller, Get, HttpException, Module, Param, Patch, Post } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import {
  FilterOperator, paginate, Paginate, PaginationType, type PaginateConfig, type PaginateQuery,
} from 'nestjs-paginate'
import { DataSource, EntitySchema, type EntitySchemaColumnOptions } from 'typeorm'
import { POOL, type StartOptions } from '../pool.ts'

interface Product {
  id: number
  name: string
  price: string
  stock: number
  category_id: number
}
interface Category {
  id: number
  created_at: Date
  name: string
  description: string | null
  price: string
  status: string
  products: Product[]
}

const time = { type: 'timestamptz', precision: 3 } as const
const base: Record<string, EntitySchemaColumnOptions> = {
  id: { type: 'int', primary: true, generated: 'increment' },
  created_at: { ...time, createDate: true },
  updated_at: { ...time, updateDate: true },
  deleted_at: { ...time, deleteDate: true, nullable: true },
  name: { type: 'varchar' },
  price: { type: 'numeric', precision: 12, scale: 2 },
}
const CategoryEntity = new EntitySchema<Category>({
  name: 'Category',
  tableName: 'categories',
  columns: {
    ...base,
    description: { type: 'text', nullable: true },
    status: { type: 'text' },
  } as any, // any: the columns of `base` have lost their literal types
  relations: { products: { type: 'one-to-many', target: 'Product', inverseSide: 'category' } },
})
const ProductEntity = new EntitySchema<Product & { category: Category }>({
  name: 'Product',
  tableName: 'products',
  columns: {
    ...base,
    stock: { type: 'int' },
    category_id: { type: 'int' },
  } as any, // any: as above, and category_id is no property of Product
  relations: {
    category: { type: 'many-to-one', target: 'Category', joinColumn: { name: 'category_id' }, inverseSide: 'products' },
  },
})

const CONFIG: PaginateConfig<Category> = {
  sortableColumns: ['created_at', 'id'],
  filterableColumns: { status: [FilterOperator.EQ], price: [FilterOperator.GTE], name: [FilterOperator.ILIKE] },
  maxLimit: 1_000,
}

export default async function nestjsPaginate ({ url, poolSize }: StartOptions) {
  const source = await new DataSource({
    type: 'postgres',
    url,
    poolSize,
    entities: [CategoryEntity, ProductEntity],
    logging: false,
    extra: POOL,
    applicationName: process.env['PGAPPNAME'],
  }).initialize()
  const categories = source.getRepository(CategoryEntity)

  class Categories {
    list (query: PaginateQuery) {
      return paginate(query, categories, CONFIG)
    }

    withProducts (query: PaginateQuery) {
      return paginate(query, categories, { ...CONFIG, relations: ['products'] })
    }

    byCursor (query: PaginateQuery) {
      return paginate(query, categories, { ...CONFIG, paginationType: PaginationType.CURSOR })
    }

    async get (id: string) {
      return await categories.findOneBy({ id: Number(id) }) ?? notFound()
    }

    create (body: Partial<Category>) {
      return categories.save(categories.create(body))
    }

    createMany (body: Array<Partial<Category>>) {
      return categories.save(categories.create(body))
    }

    async update (id: string, body: Partial<Category>) {
      const found = await categories.preload({ id: Number(id), ...body }) ?? notFound()
      return await categories.save(found)
    }
  }
  const decorate = (name: keyof Categories, route: MethodDecorator, ...params: ParameterDecorator[]) => {
    route(Categories.prototype, name, Object.getOwnPropertyDescriptor(Categories.prototype, name)!)
    params.forEach((param, index) => param(Categories.prototype, name, index))
  }
  decorate('list', Get(), Paginate())
  decorate('withProducts', Get('with-products'), Paginate())
  decorate('byCursor', Get('by-cursor'), Paginate())
  decorate('get', Get(':id'), Param('id'))
  decorate('create', Post(), Body())
  decorate('createMany', Post('at-once'), Body())
  decorate('update', Patch(':id'), Param('id'), Body())
  Controller('categories')(Categories)

  class App {}
  Module({ controllers: [Categories] })(App)
  const app = await NestFactory.create<NestFastifyApplication>(App, new FastifyAdapter(), { logger: ['error'] })
  return {
    listen: ({ host, port }: { host: string, port: number }) => app.listen(port, host),
    close: async () => {
      await app.close()
      await source.destroy()
    },
    server: app.getHttpServer(),
  }
}

function notFound (): never {
  throw new HttpException('not found', 404)
}
