/** The client of the example's API, and the queries of this page. */
import { QueryClient } from '@tanstack/react-query'
// in an application: 'fastify-crud-kit/client' and 'fastify-crud-kit/tanstack-query'
import { createClient, type ApiOf } from '../../../src/client/index.ts'
import { queryOptions } from '../../../src/client/tanstack-query.ts'
// only a type: no code of the server gets into the page
import type { resources } from '../../resources/index.ts'

type Api = ApiOf<typeof resources>

// the example's role for this page; an application sends a token
export const api = createClient<Api>(import.meta.env['VITE_API_URL'] ?? '', { headers: { 'x-role': 'editor' } })

export const queryClient = new QueryClient()

export const categoryList = queryOptions(['categories', 'list'], api['/categories'].list)
export const category = queryOptions(['categories', 'get'], api['/categories'].get)

export const STATUSES = ['draft', 'active', 'archived'] as const
export type Status = typeof STATUSES[number]
