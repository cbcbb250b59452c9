/** The entity that random writes are done to. */
import { defineEntity, p } from '@mikro-orm/core'
import { primaryKey, softDelete } from '../../../src/index.ts'
import type { Entity, Property } from '../reference/description.ts'

const maybe = (type: Property['type'], more: Partial<Property> = {}): Property => ({ type, nullable: true, ...more })

export const ticket: Entity = {
  name: 'Ticket',
  key: ['id'],
  properties: {
    id: { type: 'integer' },
    deleted_at: maybe('datetime'),
    version: { type: 'integer' },
    code: { type: 'text' },
    open: { type: 'boolean' },
    note: maybe('text'),
    points: maybe('integer'),
    serial: maybe('bigint'),
    cost: maybe('decimal', { scale: 2 }),
    weight: maybe('float'),
    state: maybe('enum', { members: ['new', 'done'] }),
    token: maybe('uuid'),
    due: maybe('date'),
    seen_at: maybe('datetime'),
    extra: maybe('json'),
    secret: maybe('text', { hidden: true }),
  },
  relations: {
    owner: { kind: 'one', target: 'Person', nullable: true },
    labels: { kind: 'links', target: 'Label', table: 'ticket_labels', side: 0 },
  },
}

/** Made by the database or the ORM. */
export const GENERATED = ['id', 'version', 'deleted_at']
/** All that bodies may ever set. */
export const WRITABLE = [...Object.keys(ticket.properties), ...Object.keys(ticket.relations)]
  .filter((name) => !GENERATED.includes(name) && name !== 'secret')

export const Person = defineEntity({ name: 'Person', properties: { ...primaryKey, ...softDelete } })
export const Label = defineEntity({ name: 'Label', properties: { code: p.uuid().primary() } })
export const Ticket = defineEntity({
  name: 'Ticket',
  properties: {
    ...primaryKey,
    ...softDelete,
    version: p.integer().version(),
    code: p.text().unique(),
    open: p.boolean(),
    note: p.text().nullable(),
    points: p.integer().nullable(),
    serial: p.bigint('string').nullable(),
    cost: p.decimal().precision(20).scale(2).nullable(),
    weight: p.double().nullable(),
    state: p.enum(['new', 'done']).nullable(),
    token: p.uuid().nullable(),
    due: p.date().nullable(),
    seen_at: p.datetime(3).nullable(),
    extra: p.json<unknown>().nullable(),
    secret: p.text().nullable().hidden(),
    owner: () => p.manyToOne(Person).nullable(),
    labels: () =>
      p.manyToMany(Label).owner().pivotTable('ticket_labels').joinColumn('ticket').inverseJoinColumn('label'),
  },
})
