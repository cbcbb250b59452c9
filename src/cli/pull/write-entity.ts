/** Writes the file of an entity. */
import { columnTypeOf } from './column-type.ts'
import { relationName, type IndexFacts } from './database-facts.ts'
import {
  isNullable, type EntityPlan, type PlannedColumn, type PlannedInverse, type PlannedPivot,
  type PlannedProperty, type PlannedReference,
} from './entity-plan.ts'
import { chainLines, commentLines, keyText, listLines, textCode } from './source-text.ts'

export function entityFile (plan: EntityPlan): string {
  const { relation, entity, properties, notes } = plan
  const { schema, name, kind, comment, checks } = relation
  const exclusions = relation.kind === 'view' ? [] : relation.indexes.filter(({ exclusion }) => exclusion !== null)
  const others = [...new Set(properties.flatMap(targetsOf))].filter((other) => other !== plan)
    .sort((one, other) => one.file < other.file ? -1 : 1)
  return [
    ...commentLines('', `The ${kind} ${relationName(relation)}${comment === null ? '.' : `: ${comment}`}`),
    ...notes.flatMap((note) => commentLines('', note)),
    ...exclusions.flatMap(({ name, exclusion }) => commentLines('', `The constraint ${name}: ${exclusion}.`)),
    "import { defineEntity, p, type InferEntity } from '@mikro-orm/core'",
    ...others.map((other) => `import { ${other.entity} } from './${other.file}.ts'`),
    '',
    `export const ${entity} = defineEntity({`,
    `  name: ${textCode(entity)},`,
    ...schema === 'public' ? [] : [`  schema: ${textCode(schema)},`],
    `  tableName: ${textCode(name)},`,
    ...plan.readonly ? ['  readonly: true,'] : [],
    ...indexLines(plan),
    ...checks.length === 0
      ? []
      : [
          '  checks: [',
          ...checks.map((check) => `    { name: ${textCode(check.name)}, expression: ${textCode(check.expression)} },`),
          '  ],',
        ],
    '  properties: {',
    ...properties.flatMap((property) => propertyLines(property, plan)),
    '  },',
    '})',
    `export type ${entity} = InferEntity<typeof ${entity}>`,
    '',
  ].join('\n')
}

function targetsOf (property: PlannedProperty): EntityPlan[] {
  switch (property.kind) {
    case 'column':
      return []
    case 'inverse':
      return [property.source]
    case 'reference':
    case 'pivot':
      return [property.target]
  }
}

function indexLines (plan: EntityPlan): string[] {
  const { indexes, kind } = plan.relation
  // a view has those of its table
  const declared = kind === 'view' ? [] : indexes.filter(({ primary, exclusion }) => !primary && exclusion === null)
  const lists = [
    ['indexes', declared.filter(({ unique }) => !unique)],
    ['uniques', declared.filter(({ unique }) => unique)],
  ] as const
  return lists.flatMap(([option, list]) =>
    list.length === 0 ? [] : [`  ${option}: [`, ...list.map((index) => `    ${indexText(index, plan)},`), '  ],']
  )
}

function indexText (index: IndexFacts, plan: EntityPlan): string {
  const { name, method, columns, classes, partial, definition } = index
  const properties = columns.includes(null) ? undefined : propertiesOf(columns as readonly string[], plan)
  const plain = !partial && (method === 'btree' || method === 'gin' || method === 'gist') &&
    !classes.some((one) => /_pattern_ops$|trgm|_path_ops$/.test(one)) && !/\b(?:DESC|INCLUDE|NULLS)\b/.test(definition)
  if (properties === undefined || !plain) return `{ name: ${textCode(name)}, expression: ${textCode(definition)} }`
  const type = method === 'btree' ? '' : `, type: ${textCode(method)}`
  return `{ name: ${textCode(name)}, properties: [${properties.map(textCode).join(', ')}]${type} }`
}

/** The properties over some columns, in their order. `undefined` if they do not cover exactly these. */
function propertiesOf (columns: readonly string[], { properties }: EntityPlan): readonly string[] | undefined {
  const names: string[] = []
  for (let at = 0; at < columns.length;) {
    const found = properties.find((property) => {
      const own = columnsIn(property)
      return own.length > 0 && own.every((column, index) => column === columns[at + index])
    })
    if (found === undefined) return undefined
    names.push(found.name)
    at += columnsIn(found).length
  }
  return names
}

function columnsIn (property: PlannedProperty): readonly string[] {
  if (property.kind === 'column') return [property.column.name]
  return property.kind === 'reference' && property.owns ? property.columns.map(({ name }) => name) : []
}

function propertyLines (property: PlannedProperty, plan: EntityPlan): string[] {
  switch (property.kind) {
    case 'column':
      return columnLines(property, plan)
    case 'reference':
      return [`    ${keyText(property.name)}: () => ${referenceText(property)},`]
    case 'inverse':
      return [`    ${keyText(property.name)}: () => ${inverseText(property)},`]
    case 'pivot':
      return [`    ${keyText(property.name)}: () => ${pivotText(property, plan)},`]
  }
}

function columnLines (planned: PlannedColumn, { relation, properties }: EntityPlan): string[] {
  const { name, column, primary, hidden, versioned } = planned
  const { code, integer } = columnTypeOf(column, relation.checks)
  const alone = primary && properties.filter((one) => 'primary' in one && one.primary).length === 1
  const calls = [
    primary ? '.primary()' : '',
    column.counts && integer ? '.autoincrement()' : alone && integer ? '.autoincrement(false)' : '',
    !(column.counts && integer) && column.default !== null ? `.defaultRaw(${textCode(column.default)})` : '',
    column.generated === null
      ? ''
      : `.generated(${textCode(`(${column.generated.expression}) ${column.generated.stored ? 'stored' : 'virtual'}`)})`,
    versioned ? '.version()' : '',
    hidden ? '.hidden()' : '',
    isPlainColumn(name, column.name) ? '' : `.fieldName(${textCode(column.name)})`,
    isNullable(planned) ? '.nullable()' : '',
  ]
  return [
    ...column.comment === null ? [] : commentLines('    ', column.comment),
    ...column.domain === null ? [] : commentLines('    ', `domain ${column.domain}`),
    ...chainLines('    ', `${keyText(name)}: ${code}`, calls),
  ]
}

/** Whether every naming strategy of MikroORM makes this column of the property. */
const isPlainColumn = (property: string, column: string): boolean =>
  property === column && /^[a-z][a-z0-9_]*$/.test(column)

function referenceText (reference: PlannedReference): string {
  const { target, columns, targetColumn, primary, single, foreignKey } = reference
  const { onDelete, onUpdate } = foreignKey
  const key = targetColumn === undefined
    ? undefined
    : target.properties.find((property) => property.kind === 'column' && property.column.name === targetColumn)?.name
  return [
    `p.${single ? 'oneToOne' : 'manyToOne'}(${target.entity})`,
    primary ? '.primary()' : '',
    key === undefined ? '' : `.targetKey(${textCode(key)})`,
    joinText('joinColumn', columns.map(({ name }) => name)),
    onDelete === 'no action' ? '' : `.deleteRule(${textCode(onDelete)})`,
    onUpdate === 'no action' ? '' : `.updateRule(${textCode(onUpdate)})`,
    columns.length === 1 && columns[0]!.default !== null ? `.defaultRaw(${textCode(columns[0]!.default)})` : '',
    isNullable(reference) ? '.nullable()' : '',
  ].join('')
}

const joinText = (name: 'joinColumn' | 'inverseJoinColumn', columns: readonly string[]): string =>
  columns.length === 1
    ? `.${name}(${textCode(columns[0]!)})`
    : `.${name}s(${columns.map(textCode).join(', ')})`

const inverseText = ({ source, reference }: PlannedInverse): string =>
  reference.single
    ? `p.oneToOne(${source.entity}).mappedBy(${textCode(reference.name)}).nullable()`
    : `p.oneToMany(${source.entity}).mappedBy(${textCode(reference.name)})`

function pivotText (
  { target, owner, other, pivot, columns, targetColumns }: PlannedPivot,
  { relation }: EntityPlan
): string {
  if (!owner) return `p.manyToMany(${target.entity}).mappedBy(${textCode(other!)})`
  // MikroORM looks for it in the schema of the owner
  const table = pivot.schema === 'public' && relation.schema === 'public' ? pivot.name : relationName(pivot)
  return `p.manyToMany(${target.entity}).owner().pivotTable(${textCode(table)})` +
    `${joinText('joinColumn', columns)}${joinText('inverseJoinColumn', targetColumns)}`
}

/** The file that lists the entities. */
export function entityList (plans: readonly EntityPlan[]): string {
  return [
    '// All entities, for the options of the database.',
    ...plans.map(({ entity, file }) => `import { ${entity} } from './${file}.ts'`),
    '',
    ...listLines('', 'export const entities = [', plans.map(({ entity }) => entity), ']'),
    '',
    ...listLines('', 'export {', plans.map(({ entity }) => entity), '}').map((line) =>
      line.replace(/^export \{(?=\w)/, 'export { ').replace(/(?<=\w)\}$/, ' }')
    ),
    '',
  ].join('\n')
}
