/** Writes the file of a resource. */
import { relationName } from './database-facts.ts'
import type { EntityPlan } from './entity-plan.ts'
import { proposeWhitelist } from './propose-whitelist.ts'
import { commentLines, listLines, textCode } from './source-text.ts'

export function resourceFile (plan: EntityPlan): string {
  const { relation, entity, constant, file } = plan
  const { filters, sorts, fields, includes, writable, operations, notes } = proposeWhitelist(plan)
  const writes = !plan.readonly && (operations?.some((name) => name === 'create' || name === 'update') ?? true)
  const lists = [
    ['AllowedFilters', 'allowedFilters', filters.map(filterText)],
    ['AllowedSort', 'allowedSorts', sorts.length === 0 ? [] : [`new AllowedSort(${sorts.map(textCode).join(', ')})`]],
    ['AllowedField', 'allowedFields', fields.map((name) => `new AllowedField(${textCode(name)})`)],
    ['AllowedInclude', 'allowedIncludes', includes.map((name) => `new AllowedInclude(${textCode(name)})`)],
  ] as const
  const used = lists.filter(([, , items]) => items.length > 0)
  const classes = [...used.map(([name]) => name), 'CrudBase'].sort()
  const [start, indent] = operations === undefined ? ['', ''] : ['  crud: ', '  ']
  const crud = [
    `${start}new CrudBase({`,
    `${indent}  model: ${entity},`,
    ...writes ? listLines(`${indent}  `, 'writable: [', writable.map(textCode), '],') : [],
    `${indent}  queryConfig: {`,
    ...used.flatMap(([, option, items]) => listLines(`${indent}    `, `${option}: [`, items, '],')),
    `${indent}  },`,
    `${indent}})`,
  ]
  return [
    ...commentLines('', `The resource of ${relationName(relation)}. Filters and sorts are those that an index serves.`),
    ...commentLines('', 'Decide what clients may read and write before you publish it.'),
    ...notes.flatMap((note) => commentLines('', note)),
    `import { ${classes.join(', ')} } from 'fastify-crud-kit'`,
    `import { ${entity} } from '../entities/${file}.ts'`,
    '',
    ...operations === undefined
      ? [`export const ${constant} = ${crud[0]}`, ...crud.slice(1)]
      : [
        `export const ${constant} = {`,
        ...crud.slice(0, -1),
        '  }),',
        `  operations: [${operations.map(textCode).join(', ')}] as const,`,
        '}',
        ],
    '',
  ].join('\n')
}

function filterText ({ name, operators }: { readonly name: string, readonly operators: readonly string[] }): string {
  const [first, ...others] = operators
  const list = others.length === 0 ? '' : `, [${operators.map(textCode).join(', ')}]`
  return `new AllowedFilters(${textCode(name)}, ${textCode(first!)}${list})`
}

/** The file that lists the resources by the prefixes of their routes. */
export function resourceList (plans: readonly EntityPlan[]): string {
  return [
    '// All resources by the prefixes of their routes, for the option `resources` of crudKit.',
    ...plans.map(({ constant, file }) => `import { ${constant} } from './${file}.ts'`),
    '',
    'export const resources = {',
    ...plans.map(({ constant, prefix }) => `  ${textCode(prefix)}: ${constant},`),
    '}',
    '',
  ].join('\n')
}
