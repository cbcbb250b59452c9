/**
 * Decides which EntityManagers read from replicas. A fork of the global one belongs to one request. It reads from
 * replicas until it, or a fork of it, has used the writer's connection: for a write, for a transaction or for the
 * application's own SQL. From then on it uses the writer, so that it reads what it has written.
 *
 * All of MikroORM's database access goes through the driver that an EntityManager was made with. So each request has
 * its own driver object, which inherits from the real driver and notes when the writer is used.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import {
  withDriver, writerMember, type Connection, type Driver, type EntityManagerClass,
} from '../../borrowed/mikro-orm.ts'
import type { ReplicaSet } from './replica-set.ts'
import type { ReplicaReport } from './replica.ts'

const kReplicas = Symbol('fastify-crud-kit.replicas')
const kReports = Symbol('fastify-crud-kit.replicaReports')
const kUsesWriter = Symbol('fastify-crud-kit.usesWriter')

interface RequestDriver {
  [kUsesWriter]: boolean
}

/** The replicas that an EntityManager may read from; `undefined` if there are none, or if it has used the writer. */
export function replicasOf (em: EntityManager): ReplicaSet | undefined {
  return (em.getDriver() as { [kReplicas]?: ReplicaSet | undefined })[kReplicas]
}

/** Whether there are replicas. Then the EntityManager decides where its reads go. */
export function hasReplicas (em: EntityManager): boolean {
  return kReports in em.getDriver()
}

/** The state of the replicas that the EntityManagers of an ORM read from. */
export function replicaReports (em: EntityManager): ReplicaReport[] {
  return (em.getDriver() as { [kReports]?: () => ReplicaReport[] })[kReports]?.() ?? []
}

/**
 * Sends all later reads of an EntityManager and its forks to the writer, as if it had written. Use it for reads that
 * must not be older than the request. It has no effect without replicas.
 *
 * @example
 * app.addHook('onRequest', async ({ em, headers }) => {
 *   if (headers['cache-control'] === 'no-cache') readFromWriter(em)
 * })
 */
export function readFromWriter (em: EntityManager): void {
  em.getConnection('write')
}

/** Makes a class of EntityManagers that read from replicas, derived from the given class. */
export function readingFrom (replicas: ReplicaSet, Base: EntityManagerClass): EntityManagerClass {
  /** For each driver of a global EntityManager, the driver that those of its requests inherit from. */
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

/**
 * The driver of the global EntityManager. It reads from the writer, because its writes do not belong to one request.
 */
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
