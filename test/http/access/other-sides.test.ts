/** Both sides of a relation show the same links, so a rule for one side is a rule for the other side. */
import { defineEntity, p } from '@mikro-orm/core'
import t, { type Test } from 'tap'
import type { CrudKitOptions, CrudRoutesOptions, RoleRules } from '../../../src/index.ts'
import { forOneDatabase } from '../../helpers/databases.ts'
import { select } from '../helper.ts'
import { crudOfRelation, memberWith } from './fixtures.ts'

const User = defineEntity({
  name: 'User',
  properties: {
    id: p.integer().primary().autoincrement(), name: p.string(), projects: () => p.oneToMany(Project).mappedBy('owner'),
  },
})
const Project = defineEntity({
  name: 'Project',
  properties: {
    id: p.integer().primary().autoincrement(), name: p.string(), owner: () => p.manyToOne(User).nullable(),
    labels: () => p.manyToMany(Label),
  },
})
const Label = defineEntity({
  name: 'Label',
  properties: {
    id: p.integer().primary().autoincrement(), name: p.string(),
    projects: () => p.manyToMany(Project).mappedBy('labels'),
  },
})

const operations = ['list', 'get', 'create', 'update'] as const
const resources: CrudKitOptions['resources'] = {
  '/users': { crud: crudOfRelation(User, 'projects'), operations },
  '/projects': { crud: crudOfRelation(Project, 'labels'), operations },
  '/owned': { crud: crudOfRelation(Project, 'owner'), operations },
  '/labels': { crud: crudOfRelation(Label, 'projects'), operations },
}

await forOneDatabase(t, {
  entities: [User, Project, Label],
  seed: async (em) => {
    const owner = em.create(User, { name: 'Ann' })
    const label = em.create(Label, { name: 'red' })
    em.create(Project, { name: 'Apollo', owner, labels: [label] })
  },
}, async (t, { orm }) => {
  const shared = ['User', 'Project', 'Label']
  const serve = (t: Test, rules: RoleRules) => memberWith(t, orm, rules, { resources, shared })
  const links = async () => await select(orm, 'select project_id, label_id from project_labels')

  for (const [rules, url, relation] of [
    [{ User: true, Project: { hidden: ['owner'] } }, '/users', 'projects'],
    [{ User: true, Project: { only: ['id', 'name'] } }, '/users', 'projects'],
    [{ User: { hidden: ['projects'] }, Project: true }, '/owned', 'owner'],
    [{ Label: true, Project: { hidden: ['labels'] } }, '/labels', 'projects'],
    [{ Label: { hidden: ['projects'] }, Project: true }, '/projects', 'labels'],
  ] as const satisfies ReadonlyArray<readonly [RoleRules, string, string]>) {
    t.test(`the other side of a hidden relation does not exist: ${JSON.stringify(rules)}`, async (t) => {
      const send = await serve(t, rules)
      const { status, body } = await send('GET', `${url}/1`)
      t.equal(status, 200)
      t.notOk(relation in body)
      for (const query of [`include=${relation}`, `include=${relation}Exists`, `filter[${relation}.name]=Apollo`]) {
        t.equal((await send('GET', `${url}?${query}`)).status, 400, query)
      }
      const written = await send('PATCH', `${url}/1`, { [relation]: relation === 'owner' ? null : [] })
      t.equal(written.status, 400)
      t.strictSame(await links(), [{ project_id: 1, label_id: 1 }])
    })
  }

  for (const [rules, url, relation] of [
    [{ Label: true, Project: { readonly: true } }, '/labels', 'projects'],
    [{ Label: true, Project: { readonly: ['labels'] } }, '/labels', 'projects'],
    [{ Label: true, Project: { operations: ['list', 'get', 'create'] } }, '/labels', 'projects'],
    [{ Label: { readonly: ['projects'] }, Project: true }, '/projects', 'labels'],
    [{ User: { readonly: ['projects'] }, Project: true }, '/owned', 'owner'],
  ] as const satisfies ReadonlyArray<readonly [RoleRules, string, string]>) {
    t.test(`the other side of a read-only relation is read-only: ${JSON.stringify(rules)}`, async (t) => {
      const send = await serve(t, rules)
      const value = relation === 'owner' ? null : []
      t.equal((await send('GET', `${url}?include=${relation}`)).status, 200)
      t.equal((await send('PATCH', `${url}/1`, { [relation]: value })).status, 400)
      t.equal((await send('POST', url, { name: 'new', [relation]: value })).status, 400)
      t.strictSame(await links(), [{ project_id: 1, label_id: 1 }])
    })
  }

  t.test('the same rules hold in another schema, which has tables of its own for all links', async (t) => {
    const tables = ['"user"', 'project', 'label', 'project_labels']
    await orm.em.getConnection().executeDump([
      'create schema branch',
      ...tables.map((table) => `create table branch.${table} (like ${table} including all)`),
      "insert into branch.label (id, name) values (1, 'red')",
      "insert into branch.project (id, name) values (1, 'Apollo')",
      'insert into branch.project_labels (project_id, label_id) values (1, 1)',
    ].join(';\n'))
    const inBranch: CrudRoutesOptions['hooks'] = {
      all: {
        onRequest: (request, _, done) => {
          request.em.schema = 'branch'
          done()
        },
      },
    }
    const serveBranch = (rules: RoleRules) =>
      memberWith(t, orm, rules, {
        resources: { '/labels': { crud: crudOfRelation(Label, 'projects'), operations, hooks: inBranch } },
        shared,
      })
    const hidden = await serveBranch({ Label: true, Project: { hidden: ['labels'] } })
    t.strictSame((await hidden('GET', '/labels/1')).body, { id: 1, name: 'red' })
    t.equal((await hidden('GET', '/labels?include=projects')).status, 400)
    t.equal((await hidden('GET', '/labels?filter[projects.name]=Apollo')).status, 400)
    const frozen = await serveBranch({ Label: true, Project: { readonly: ['labels'] } })
    t.match((await frozen('GET', '/labels/1?include=projects')).body, { projects: [{ id: 1, name: 'Apollo' }] })
    t.equal((await frozen('PATCH', '/labels/1', { projects: [] })).status, 400)
    t.strictSame(await select(orm, 'select project_id, label_id from branch.project_labels'), [
      { project_id: 1, label_id: 1 },
    ])
  })

  t.test('the side that has the key or owns the pivot table decides, unless a list names the other side', async (t) => {
    const seen = await serve(t, {
      User: { only: ['id', 'name'] }, Label: { only: ['id', 'name'] },
      Project: { operations: ['list', 'get', 'create'] },
    })
    t.match((await seen('GET', '/owned/1?include=owner')).body, { owner: { id: 1, name: 'Ann' } })
    t.match((await seen('GET', '/projects/1?include=labels')).body, { labels: [{ id: 1, name: 'red' }] })
    t.equal((await seen('POST', '/projects', { name: 'Gemini', labels: [1] })).status, 201)
    const kept = await serve(t, { Label: { readonly: true }, Project: true })
    t.equal((await kept('PATCH', '/projects/1', { labels: [1] })).status, 200)
  })
})
