/** Plans fields and includes, which select what a record shows. */
import { MAX_INCLUDE_DEPTH } from '../config/index.ts'
import type { EntityModel, Property } from '../model/index.ts'
import { isFromTree, nameSuffix, type QueryParams } from '../query/index.ts'
import { aliasFor, type WithAlias } from './alias.ts'
import { memoKey } from './memo.ts'
import type { QueryErrors } from './query-errors.ts'
import { cited, excess, refusal } from './refusal.ts'
import type { Aggregate } from './condition-types.ts'
import type { PlannedInclude, Selection } from './plan-types.ts'
import { namesOfInclude, type IncludeEntry, type RelationEntry, type Whitelist } from './whitelist/index.ts'

/** Maximum number of include paths in one request. */
export const MAX_INCLUDES = 10

type SelectionParams = Pick<QueryParams, 'fields' | 'fieldsByInclude' | 'include'>

/** Plans what a request selects. Without fields and includes, it is everything that is not hidden. */
export function planSelection (params: SelectionParams, whitelist: Whitelist, errors: QueryErrors): Selection {
  const { include, fields, fieldsByInclude } = params
  const paths = Object.keys(fieldsByInclude)
  return whitelist.selections.of(
    memoKey(include, fields, paths, ...paths.map((path) => fieldsByInclude[path]!)),
    errors,
    (errors) => makeSelection(params, whitelist, errors)
  )
}

function makeSelection (params: SelectionParams, whitelist: Whitelist, errors: QueryErrors): Selection {
  const included = planIncludes(params.include, whitelist, errors)
  const fields = planFields(params, whitelist, included, errors)
  return selectionOf(whitelist.model, undefined, included, fields)
}

/** The entries of all paths and of their parents, parents first. */
function planIncludes (paths: readonly string[], whitelist: Whitelist, errors: QueryErrors): ReadonlySet<IncludeEntry> {
  const included = new Set<IncludeEntry>()
  const written = (path: string): string => `include${nameSuffix(paths, path)}`
  if (paths.length > MAX_INCLUDES) {
    errors.push(
      excess(
        'FST_CRUD_INCLUDE_INVALID',
        written(paths[0]!),
        `At most ${MAX_INCLUDES} relations can be included; ${paths.length} were given.`
      )
    )
    return included
  }
  for (const path of paths) {
    const entry = whitelist.includes.get(path)
    if (entry !== undefined) {
      addWithParents(entry, included)
    } else if (path.split('.').length > MAX_INCLUDE_DEPTH) {
      errors.push(
        excess('FST_CRUD_INCLUDE_INVALID', written(path), `An include is at most ${MAX_INCLUDE_DEPTH} relations deep.`)
      )
    } else {
      errors.push(
        refusal('FST_CRUD_INCLUDE_INVALID', written(path), `The include '${cited(path)}' is not allowed.`, {
          given: path,
          meant: aliasFor(path, [...whitelist.includes.values()].map(namesOfInclude)),
          allowed: whitelist.includes.keys(),
        })
      )
    }
  }
  return included
}

const namesOfField = ([name, { publicName }]: readonly [string, Property]): WithAlias => ({ name, aliasOf: publicName })

function addWithParents (entry: IncludeEntry, included: Set<IncludeEntry>): void {
  if (entry.parent !== undefined) addWithParents(entry.parent, included)
  included.add(entry)
}

/** The selected properties by include. The key `undefined` is for the records of the resource. */
type SelectedFields = ReadonlyMap<RelationEntry | undefined, ReadonlySet<Property>>

function planFields (
  params: Pick<QueryParams, 'fields' | 'fieldsByInclude'>,
  whitelist: Whitelist,
  included: ReadonlySet<IncludeEntry>,
  errors: QueryErrors
): SelectedFields {
  const selected = new Map<RelationEntry | undefined, Set<Property>>()
  const inTree = isFromTree(params)
  const select = (
    entry: RelationEntry | undefined,
    parameter: string,
    names: readonly string[],
    allowed: ReadonlyMap<string, Property>
  ): void => {
    const properties = selected.get(entry) ?? new Set()
    for (const name of names) {
      const property = allowed.get(name)
      if (property !== undefined) properties.add(property)
      else {
        errors.add('FST_CRUD_FIELD_INVALID', () => {
          const path = entry === undefined ? name : `${entry.name}.${name}`
          const elsewhere = fieldElsewhere(path, whitelist, included, inTree)
          return refusal(
            'FST_CRUD_FIELD_INVALID',
            `${parameter}${nameSuffix(names, name)}`,
            `The field '${cited(name)}' is not allowed.${elsewhere}`,
            {
              ...elsewhere === '' && { given: name, meant: aliasFor(name, [...allowed].map(namesOfField)) },
              allowed: allowed.keys(),
            }
          )
        })
      }
    }
    // if every name was refused, nothing is selected, so that the default applies when errors are ignored
    if (properties.size > 0) selected.set(entry, properties)
  }

  if (params.fields.length > 0) select(undefined, 'fields', params.fields, whitelist.fields)
  const relations = [...included].filter((entry) => entry.kind === 'relation')
  for (const path of Object.keys(params.fieldsByInclude)) {
    const names = params.fieldsByInclude[path]!
    const parameter = `fields[${cited(path)}]`
    const entry = relations.find((entry) => entry.name === path)
    if (entry !== undefined) select(entry, parameter, names, entry.fields)
    else if (whitelist.names.has(path)) select(undefined, parameter, names, whitelist.fields)
    else {
      errors.push(
        refusal(
          'FST_CRUD_FIELD_INVALID',
          `${parameter}${nameSuffix(names, names[0]!)}`,
          `'${cited(path)}' is not included, so no fields of it can be selected.${
            whitelist.includes.get(path)?.kind === 'relation'
              ? ` ${inTree ? `Add '${path}' to include` : `Add include=${path}`}.`
              : ''
          }`,
          {
            given: path,
            meant: aliasFor(path, relations.map(namesOfInclude)),
            allowed: [...whitelist.names, ...relations.map((entry) => entry.name)],
          }
        )
      )
    }
  }
  return selected
}

/** The sentence about a field of a relation, which is no field of the record: it has a parameter of its own. */
function fieldElsewhere (
  path: string,
  { includes }: Whitelist,
  included: ReadonlySet<IncludeEntry>,
  inTree: boolean
): string {
  const dot = path.lastIndexOf('.')
  const [relation, field] = [path.slice(0, Math.max(0, dot)), path.slice(dot + 1)]
  const entry = includes.get(aliasFor(relation, [...includes.values()].map(namesOfInclude)) ?? relation)
  if (entry?.kind !== 'relation' || !entry.fields.has(field)) return ''
  const { name } = entry
  return inTree
    ? ` Write {${included.has(entry) ? '' : `"include": ["${name}"], `}"fieldsByInclude": {"${name}": ["${field}"]}}.`
    : ` Write ${included.has(entry) ? '' : `include=${name}&`}fields[${name}]=${field}.`
}

function selectionOf (
  model: EntityModel,
  parent: RelationEntry | undefined,
  included: ReadonlySet<IncludeEntry>,
  fields: SelectedFields
): Selection {
  const includes: PlannedInclude[] = []
  const aggregates: Aggregate[] = []
  for (const entry of included) {
    if (entry.parent !== parent) continue
    if (entry.kind === 'aggregate') aggregates.push(entry.aggregate)
    else {
      includes.push({
        relation: entry.relation,
        path: entry.name,
        selection: selectionOf(entry.relation.target, entry, included, fields),
        rules: entry.rules,
      })
    }
  }
  const selected = fields.get(parent)
  const properties: Selection['properties'][number][] = []
  for (const property of model.properties.values()) {
    if (property.hidden || (selected !== undefined && !selected.has(property))) continue
    // an included relation shows records instead of its key, and one without a key column shows nothing
    if (
      property.kind === 'relation' &&
      (property.join.kind !== 'owner' || includes.some((include) => include.relation === property))
    ) continue
    properties.push(property)
  }
  return {
    model,
    properties,
    includes: inModelOrder(includes, model),
    aggregates: aggregates.sort((a, b) => a.name < b.name ? -1 : 1),
  }
}

/** Sorts includes by declaration, so that the same set of includes always makes the same statement. */
function inModelOrder (includes: PlannedInclude[], model: EntityModel): readonly PlannedInclude[] {
  if (includes.length < 2) return includes
  const order = [...model.properties.values()]
  return includes.sort((a, b) => order.indexOf(a.relation) - order.indexOf(b.relation))
}
