/**
 * Hidden names cannot be whitelisted. The server does not start, and its message is that for a name that does not
 * exist.
 */
import t from 'tap'
import {
  AllowedField, AllowedFilters, AllowedInclude, AllowedSort, type QueryBuilderOptions,
} from '../../src/config/index.ts'
import { resolveWhitelist } from '../../src/plan/index.ts'
import { QueryBuilderConfig } from '../../src/index.ts'
import { modelsOf } from '../helpers/models.ts'
import { vaultEntities } from './vault-entities.ts'

const { all, Person, Team, Visit } = vaultEntities(true)
const models = modelsOf(all)

type Entries = ReadonlyArray<readonly [kind: string, entry: (name: string) => QueryBuilderOptions<any>]>

/** Entries that name a property. */
const PROPERTIES: Entries = [
  ['filter', (name) => ({ allowedFilters: [AllowedFilters.exact(name)] })],
  ['filter with an alias', (name) => ({ allowedFilters: [AllowedFilters.exact(name, { alias: 'x' })] })],
  ['partial filter', (name) => ({ allowedFilters: [AllowedFilters.partial(name)] })],
  ['custom filter', (name) => ({ allowedFilters: [AllowedFilters.custom(name, (qb) => qb)] })],
  ['search', (name) => ({ allowedFilters: [AllowedFilters.search('q', [name])] })],
  [
    'OR group',
    (name) => (
      { allowedFilters: [AllowedFilters.anyOf('any', [AllowedFilters.exact(name), AllowedFilters.exact('id')])] }
    ),
  ],
  ['sort', (name) => ({ allowedSorts: [new AllowedSort(name)] })],
  ['custom sort', (name) => ({ allowedSorts: [AllowedSort.custom(name, (qb) => qb)] })],
  ['sort beside another', (name) => ({ allowedSorts: [new AllowedSort('id', name, { alias: 'x' })] })],
  ['default sort', (name) => ({ defaultSort: [`-${name}`] })],
  ['field', (name) => ({ allowedFields: [new AllowedField(name)] })],
]
/** Entries that name relations. */
const RELATIONS: Entries = [
  ['include', (name) => ({ allowedIncludes: [new AllowedInclude(name)] })],
  ['include with an alias', (name) => ({ allowedIncludes: [new AllowedInclude(name, { alias: 'x' })] })],
  ['count', (name) => ({ allowedIncludes: [AllowedInclude.count(name)] })],
  ['exists', (name) => ({ allowedIncludes: [AllowedInclude.exists(name)] })],
]
/** Entries that name a property of related records. */
const AGGREGATES: Entries = [
  ['sum', (name) => ({ allowedIncludes: [AllowedInclude.sum(name)] })],
  ['max', (name) => ({ allowedIncludes: [AllowedInclude.max(name)] })],
]

const CASES: ReadonlyArray<readonly [entity: any, names: readonly string[], entries: Entries]> = [
  [
    Person,
    [
      'pin', 'token', 'dossier', 'tenant', 'handler', 'home.alarm', 'work.badge', 'team.budget', 'mentor.pin',
      'visits.published', 'handler.codename', 'cases.title', 'friends.name',
    ],
    PROPERTIES,
  ],
  [Person, ['handler', 'cases', 'friends', 'mentor.handler', 'mentor.cases'], RELATIONS],
  [Person, ['visits.branch', 'cases.id', 'friends.age'], AGGREGATES],
  [Team, ['budget', 'people.pin', 'people.handler.codename'], PROPERTIES],
  [Team, ['people.cases', 'people.handler'], RELATIONS],
  [Team, ['people.pin', 'people.tenant'], AGGREGATES],
  [Visit, ['published', 'branch', 'person.token', 'person.handler'], PROPERTIES],
  [Visit, ['person.friends'], RELATIONS],
]

/** Text that a message must not contain, unless it is the name in question. */
const HIDDEN =
  /\b(pin|token|dossier|tenant|handler|alarm|badge|budget|published|branch|codename|cases|friends|api_tok)\b/g

t.test('every hidden name in every entry is a ConfigError that discloses nothing hidden', async (t) => {
  let count = 0
  for (const [entity, names, entries] of CASES) {
    for (const name of names) {
      for (const [kind, entry] of entries) {
        count++
        const what = `${kind} '${name}' of ${entity.meta.className}`
        try {
          resolveWhitelist(new QueryBuilderConfig(entry(name)), models.of(entity))
          t.fail(`${what} was taken`)
        } catch (error) {
          const { code, message } = error as { code: string, message: string }
          if (code !== 'FST_CRUD_CONFIG_INVALID') t.fail(`${what}: ${message}`)
          const told = [...message.matchAll(HIDDEN)].filter(([word]) => !name.split('.').includes(word))
          if (told.length > 0) t.fail(`${what}: ${message}`)
        }
      }
    }
  }
  t.ok(count >= 182, `${count} of them`)
})

t.test('the same entries with a visible name are accepted', async (t) => {
  for (const [, entry] of PROPERTIES) t.ok(resolveWhitelist(new QueryBuilderConfig(entry('name')), models.of(Person)))
  for (const [, entry] of RELATIONS) t.ok(resolveWhitelist(new QueryBuilderConfig(entry('visits')), models.of(Person)))
  for (const [, entry] of AGGREGATES) {
    t.ok(resolveWhitelist(new QueryBuilderConfig(entry('visits.stars')), models.of(Person)))
  }
})
