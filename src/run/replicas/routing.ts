/**
 * Which EntityManagers read from replicas. A fork of the global one stands for a request: it reads from replicas until
 * it, or a fork of it, has used the writer's connection, be it to write, for a transaction or for SQL of its own. From
 * then on it reads what it has written.
 *
 * Everything that MikroORM asks of a database goes through the driver that an EntityManager was made with, so a
 * request has a driver of its own: an object that inherits from the real one and knows what has been asked of it.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { withDriver, writerMember, type EntityManagerClass } from '../../borrowed/mikro-orm.ts'
import type { Connection, ReplicaReport } from './replica.ts'
import type { ReplicaSet } from './replica-set.ts'

type Driver = ReturnType<EntityManager['getDriver']>

const kReplicas = Symbol('fastify-crud-kit.replicas')
const kReports = Symbol('fastify-crud-kit.replicaReports')
const kUsesWriter = Symbol('fastify-crud-kit.usesWriter')

interface RequestDriver {
  [kUsesWriter]: boolean
}

/** The replicas that an EntityManager may read from now; `undefined` when there are none, or it has used the writer. */
export function replicasOf (em: EntityManager): ReplicaSet | undefined {
  return (em.getDriver() as { [kReplicas]?: ReplicaSet | undefined })[kReplicas]
}

/** Whether there are replicas: then an EntityManager is what knows where its reads go. */
export function hasReplicas (em: EntityManager): boolean {
  return kReports in em.getDriver()
}

/** How the replicas are that the EntityManagers of an ORM read from. */
export function replicaReports (em: EntityManager): ReplicaReport[] {
  return (em.getDriver() as { [kReports]?: () => ReplicaReport[] })[kReports]?.() ?? []
}

/**
 * Makes all later reads of an EntityManager and its forks go to the writer, as if it had written: for a read that must
 * not be older than the request. Does nothing where there are no replicas.
 *
 * @example
 * app.addHook('onRequest', async ({ em, headers }) => {
 *   if (headers['cache-control'] === 'no-cache') readFromWriter(em)
 * })
 */
export function readFromWriter (em: EntityManager): void {
  em.getConnection('write')
}

/** The class of EntityManagers that read from replicas, from the one that they would be of otherwise. */
export function readingFrom (replicas: ReplicaSet, Base: EntityManagerClass): EntityManagerClass {
  /** By the driver of the global EntityManager: what those of requests inherit. */
  const requests = new WeakMap<Driver, Driver>()
  const driverFor = (driver: Driver): Driver => {
    const prototype = requests.get(driver)
    if (prototype !== undefined) return Object.create(prototype) as Driver
    // a fork of a request's EntityManager belongs to the request
    if (kUsesWriter in driver) return driver
    const shared = sharedDriver(driver, replicas)
    requests.set(shared, requestDriver(driver, replicas))
    return shared
  }
  return withDriver(Base, driverFor)
}

/** The driver of the global EntityManager: nobody knows who writes through it, so it reads from the writer. */
function sharedDriver (driver: Driver, replicas: ReplicaSet): Driver {
  return Object.create(driver, {
    [kReports]: { value: () => replicas.reports },
    getConnection: { value: () => driver.getConnection('write') },
  }) as Driver
}

function requestDriver (driver: Driver, replicas: ReplicaSet): Driver {
  const writer = (own: RequestDriver): Connection => {
    own[kUsesWriter] = true
    return driver.getConnection('write') as Connection
  }
  return Object.create(driver, {
    [kUsesWriter]: { value: false, writable: true },
    [kReplicas]: {
      get (this: RequestDriver) {
        return this[kUsesWriter] ? undefined : replicas
      },
    },
    ...writerMember<RequestDriver>(writer),
    getConnection: {
      value (this: RequestDriver, type: 'read' | 'write' = 'write'): Connection {
        return type === 'write' || this[kUsesWriter] ? writer(this) : replicas.connection()
      },
    },
  }) as Driver
}
