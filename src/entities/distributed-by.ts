/** Keys and relations for tables that a server distributes, or partitions, by a column that they all have. */
import { p } from '@mikro-orm/core'
import { randomUUID } from 'node:crypto'

/**
 * The key and the relations of entities whose tables are distributed by the same column, for example by the tenant.
 * The column is a part of every key and of every foreign key, so related rows are on the same node.
 *
 * Unique constraints of such an entity must also contain the column. `BaseModel` and the mixin `uuid` have a unique
 * constraint without it. The mixins `timestamps` and `softDelete` can be added.
 *
 * @param column the name of the column in all tables
 * @param property the property of this column, as an object with one member: a scalar, or a to-one relation. It is a
 *   part of the primary key
 * @returns `key`, the properties of the primary key, to spread into `properties`: the given property, and `id`, a UUID
 *   that is made on create. `manyToOne` and `manyToMany` make relations whose foreign keys contain the column. These
 *   foreign keys have no actions, because a distributed server refuses actions that would change the column
 *
 * @example
 * const { key, manyToOne, manyToMany } = distributedBy('tenant_id', { tenant_id: p.integer().primary() })
 *
 * const Project = defineEntity({ name: 'Project', properties: { ...key, name: p.string() } })
 * const Label = defineEntity({
 *   name: 'Label',
 *   properties: { ...key, name: p.string() },
 *   uniques: [{ properties: ['tenant_id', 'name'] }],
 * })
 * const Task = defineEntity({
 *   name: 'Task',
 *   properties: {
 *     ...key,
 *     title: p.string(),
 *     project: () => manyToOne(Project, 'project_id').nullable(),
 *     labels: () => manyToMany(Label, 'task_labels', 'task_id', 'label_id'),
 *   },
 * })
 */
export function distributedBy<const Property extends object> (column: string, property: Property) {
  return {
    key: { ...property, id: p.uuid().primary().fieldName('id').onCreate(() => randomUUID()) },

    /** @param targetColumn the column with the `id` of the record that a row refers to */
    manyToOne: <Target extends ToOneTarget>(target: Target, targetColumn: string) =>
      p.manyToOne(target).joinColumns(column, targetColumn).updateRule('no action').deleteRule('no action'),

    /**
     * The owning side. The other side is `p.manyToMany(Task).mappedBy('labels')`.
     *
     * @param pivotTable the table of the links
     * @param ownColumn its column with the `id` of the record that has the relation
     * @param targetColumn its column with the `id` of the related record
     */
    manyToMany: <Target extends ToManyTarget>(
      target: Target,
      pivotTable: string,
      ownColumn: string,
      targetColumn: string
    ) =>
      p.manyToMany(target).owner().pivotTable(pivotTable).joinColumns(column, ownColumn)
        .inverseJoinColumns(column, targetColumn).updateRule('no action').deleteRule('no action'),
  }
}

type ToOneTarget = Parameters<typeof p.manyToOne>[0]
type ToManyTarget = Parameters<typeof p.manyToMany>[0]
