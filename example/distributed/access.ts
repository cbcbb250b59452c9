/**
 * The rows of each request. A member of a tenant uses the rows of this tenant. The operator creates tenants, and sees
 * none of their data.
 */
import type { FastifyRequest } from 'fastify'
import { defineAccess } from '../../src/index.ts' // in an application: 'fastify-crud-kit'
import type { Label, Project, Task, Tenant } from './entities.ts'

const allow = defineAccess<{ Tenant: Tenant, Project: Project, Label: Label, Task: Task }>()

/** The tenant in the header `x-tenant`, or `undefined`. */
function tenantOf ({ headers }: FastifyRequest): number | undefined {
  const header = String(headers['x-tenant'])
  return /^[1-9][0-9]{0,8}$/.test(header) ? Number(header) : undefined
}

/**
 * The option `access`. A header proves nothing, so it works during development only: with `NODE_ENV=production` it is
 * ignored, and all requests are refused. An application takes the tenant from a signed token.
 */
export const accessIn = ({ NODE_ENV }: NodeJS.ProcessEnv) => {
  // the condition becomes a part of every statement, and tells the coordinator which node has the rows
  const rows = (request: FastifyRequest) => ({ tenant: tenantOf(request)! })
  return allow({
    role: (request) => {
      if (NODE_ENV === 'production') return 'stranger'
      if (request.headers['x-role'] === 'operator') return 'operator'
      return tenantOf(request) === undefined ? 'stranger' : 'member'
    },
    roles: {
      member: {
        Tenant: { rows: (request) => ({ id: tenantOf(request)! }), operations: ['list', 'get'] },
        Project: { rows },
        Label: { rows },
        Task: { rows },
      },
      operator: { Tenant: true },
    },
  })
}
