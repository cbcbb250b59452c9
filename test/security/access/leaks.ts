/** Leaks that are planted into a server, each as a mistake of the access rules or of a role's view. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { CrudBase, type EntityRule } from '../../../src/index.ts'
import type { SecretRule, Secrets } from './roles.ts'
import { SHAPE, type Naming } from './shape.ts'
import type { MakeCrud } from './whitelists.ts'

type Resource = ReturnType<CrudBase['bind']>
type Role = NonNullable<Parameters<CrudBase['bind']>[1]>

export interface Leak {
  readonly name: string
  /** Whether only the names of properties leak, and no data. */
  readonly ofNames?: boolean
  /** The entities that a client asks for, to find the leak sooner. Default: all. */
  readonly of?: readonly string[]
  /** The properties of all entities that a client tries to use although they are hidden. */
  readonly tried?: readonly string[]
  /** Changes what a role sees of a resource, given what the server sees. */
  readonly tamper?: (own: Writable<Resource>, all: Resource, naming: Naming) => void
  /** Changes the rule of an entity. */
  readonly rule?: (entity: string, rule: EntityRule) => EntityRule
}

type Writable<Type> = { -readonly [Name in keyof Type]: Type[Name] }

const rule = (hidden: readonly string[]): SecretRule => ({
  hidden, only: false, rows: { tenant: 1 }, filter: { tenant: { $ne: 3 } }, asked: true, readonly: [],
})

const OF_TASKS = rule(['note', 'effort'])

/** The rules of the role that the leaks are planted for. */
export const SECRETS: Secrets = {
  User: rule(['salary']), Project: rule(['budget', 'version']), Seat: rule(['price']), Task: OF_TASKS, Bug: OF_TASKS,
  Label: rule(['weight']), Note: rule(['version']),
}

/** The rules that a client supposes. It sends requests that they allow. */
export function supposed ({ tried = [] }: Leak): Secrets {
  return Object.fromEntries(
    Object.entries(SECRETS).map(([entity, rule]) => [
      entity,
      { ...rule!, hidden: rule!.hidden.filter((property) => !tried.includes(property)) },
    ])
  )
}

/** Adds an entry that the role may not use to a map of its whitelist. */
function admit (own: ReadonlyMap<string, unknown>, all: ReadonlyMap<string, unknown>, name: string): void {
  const entry = all.get(name)
  if (entry !== undefined) (own as Map<string, unknown>).set(name, entry)
}

export const LEAKS: readonly Leak[] = [
  {
    name: 'a hidden property can be sorted by', of: ['User', 'Project', 'Task'], tried: ['budget', 'effort', 'salary'],
    tamper: ({ whitelist }, all, naming) => {
      for (const name of [naming('Project', 'budget'), naming('Task', 'effort'), naming('User', 'salary')]) {
        admit(whitelist.sorts, all.whitelist.sorts, name)
      }
    },
  },
  {
    name: 'a search looks into a hidden property',
    tamper: ({ whitelist }, all) => admit(whitelist.filters, all.whitelist.filters, 'q'),
  },
  {
    name: 'a cursor contains a hidden value of the default order',
    tamper: (own, all) => {
      own.whitelist = { ...own.whitelist, defaultOrder: all.whitelist.defaultOrder }
    },
  },
  {
    name: 'rows are not applied behind relations',
    tamper: (own) => {
      own.entitiesRead = () => [own.model]
    },
  },
  {
    name: 'rows are not applied to aggregates',
    tamper: (own) => {
      const usual = own.entitiesRead.bind(own)
      own.entitiesRead = (plan) => {
        const aggregated = 'selection' in plan ? plan.selection.aggregates.map(({ relation }) => relation.target) : []
        return usual(plan).filter((model) => model === own.model || !aggregated.includes(model))
      }
    },
  },
  {
    name: 'rows are lost beside a filter in requests with a custom sort or filter',
    tamper: (own) => {
      const usual = own.prepareWith.bind(own)
      own.prepareWith = (session, plan, conditions, operation, given) => {
        const isCustom = plan.customs.length > 0 || ('order' in plan && plan.order.some((term) => 'callback' in term))
        const filters = isCustom ? given.filters.ofMikroOrm ?? given.filters : given.filters
        return usual(session, plan, conditions, operation, { ...given, filters: filters as typeof given.filters })
      }
    },
  },
  {
    name: 'a hidden property has facets and groups', of: ['User', 'Project', 'Task'],
    tried: ['budget', 'effort', 'salary'],
    tamper: ({ whitelist }, { whitelist: all }, naming) => {
      for (const name of [naming('Project', 'budget'), naming('Task', 'effort'), naming('User', 'salary')]) {
        admit(whitelist.facets, all.facets, name)
        admit(whitelist.groups, all.groups, name)
      }
    },
  },
  {
    name: 'rows do not apply beside a not',
    tamper: (own) => {
      const usual = own.prepareWith.bind(own)
      own.prepareWith = (session, plan, conditions, operation, given) => {
        const filters = plan.conditions.some(({ kind }) => kind === 'unless')
          ? given.filters.ofMikroOrm ?? given.filters
          : given.filters
        return usual(session, plan, conditions, operation, { ...given, filters: filters as typeof given.filters })
      }
    },
  },
  {
    name: 'an id of a hidden row is accepted in a body',
    rule: (entity, rule) => ({
      ...rule,
      rows: ({ method, url }) => method === 'GET' || url.startsWith(SHAPE[entity]!.path) ? { tenant: 1 } : {},
    }),
  },
  {
    name: 'a project changes notes that the role may not see',
    of: ['Project'],
    rule: (entity, rule) => ({
      ...rule,
      rows: ({ method, url }) => entity !== 'Note' || method === 'GET' || url.startsWith('/notes') ? { tenant: 1 } : {},
    }),
  },
  {
    name: 'a header shows the hidden version',
    tamper: (own, { model: { version } }) => {
      own.model = { ...own.model, version }
    },
  },
  {
    name: 'an error names a hidden property among the allowed ones', of: ['Project'], ofNames: true,
    tamper: ({ whitelist }, { whitelist: all }, naming) => {
      const name = naming('Project', 'budget')
      if (all.fields.has(name)) (whitelist.fields as Map<string, unknown>).set(name, all.fields.get('name'))
    },
  },
]

/** Makes CRUD classes with a leak. */
export function leakyCrud ({ tamper }: Leak, naming: Naming): MakeCrud {
  if (tamper === undefined) return (_, options) => new CrudBase<any>(options as never)
  return (_, options) => {
    const tampered = new WeakSet<Resource>()
    class LeakyCrud extends CrudBase<any> {
      override bind (em: EntityManager, role?: Role): Resource {
        const own = super.bind(em, role)
        if (role !== undefined && !tampered.has(own)) {
          tampered.add(own)
          tamper!(own, super.bind(em), naming)
        }
        return own
      }
    }
    return new LeakyCrud(options as never)
  }
}
