/** Mistakes in the option `access`, which are found at start-up. */
import { MikroORM, p } from '@mikro-orm/postgresql'
import t from 'tap'
import { accessFor } from '../../src/resource/index.ts'
import { entity } from '../helpers/entity.ts'

const User = entity('User', {
  id: p.integer().primary(), name: p.string(), full_name: p.string().serializedName('fullName'),
})
const Task = entity('Task', {
  id: p.integer().primary(), title: p.string().fieldName('headline'), owner: () => p.manyToOne(User),
})
/** Its key contains a relation. */
const Membership = entity('Membership', {
  user: () => p.manyToOne(User).primary(), task: () => p.manyToOne(Task).primary(), since: p.integer(),
})
const orm = await MikroORM.init(
  { entities: [User, Task, Membership], dbName: 'none', connect: false } as object as never
)
t.teardown(() => orm.close())

const role = (): string => 'one'
const refused: ReadonlyArray<readonly [what: string, access: unknown, message: string | RegExp]> = [
  ['nothing', null, 'access: options must be a plain object, got null.'],
  ['a promise', Promise.resolve({}), 'access: options must be a plain object, got an instance of Promise.'],
  ['an entity whose key contains an entity that the role may not use',
    { role, roles: { one: { Membership: true, User: true } } },
    /the role 'one' may use Membership, whose primary key contains 'task', but not Task: give it a rule for Task, too/],
  ['no role', { roles: { one: true } },
    "access: 'role' must be a function that returns the name of a request's role, got undefined."],
  ['no roles', { role }, /'roles' must be an object with the rules of at least one role, got undefined/],
  ['empty roles', { role, roles: {} }, /at least one role/],
  ['an unknown option', { role, roles: { one: true }, document: 'one' },
    "access: there is no option 'document'. Did you mean 'documentFor'?"],
  ['a role to document that does not exist', { role, roles: { one: true }, documentFor: 'on' },
    "access: 'documentFor' is 'on', which is not a role. Did you mean 'one'?"],
  ['false for a role', { role, roles: { one: false } },
    'access: roles.one must be true or an object of rules by the names of entities, got false.'],
  ['an unknown entity', { role, roles: { one: { Usr: true } } },
    "access: roles.one names 'Usr', which is not an entity of the ORM. Did you mean 'User'?"],
  ['a rule of another type', { role, roles: { one: { User: 'all' } } },
    "access: roles.one.User must be true, false or an object, got 'all'."],
  ['an unknown member', { role, roles: { one: { User: { hide: ['name'] } } } },
    /access: roles.one.User: there is no option 'hide'/],
  ['an unknown property', { role, roles: { one: { User: { hidden: ['nam'] } } } },
    "access: roles.one.User.hidden names 'nam', which is not a property of User. Did you mean 'name'?"],
  ['a public name', { role, roles: { one: { User: { readonly: ['fullName'] } } } },
    "access: roles.one.User.readonly names 'fullName', which is not a property of User. Did you mean 'full_name'?"],
  ['the name of a column', { role, roles: { one: { Task: { hidden: ['headline'] } } } },
    "access: roles.one.Task.hidden names 'headline', which is not a property of Task. Did you mean 'title'?"],
  ['an unknown property in only', { role, roles: { one: { User: { only: ['id', 'nme'] } } } },
    /roles.one.User.only names 'nme'/],
  ['a property of no entity', { role, roles: { one: { '*': { hidden: ['secret'] } } } },
    /roles.one.\*.hidden names 'secret', which is not a property of any entity that it stands for/],
  ['names that are no list', { role, roles: { one: { User: { hidden: 'name' } } } },
    "access: roles.one.User.hidden must be a list of property names, got 'name'."],
  [
    'only and hidden', { role, roles: { one: { User: { only: ['id'], hidden: ['name'] } } } },
    /has both 'hidden' and 'only'/,
  ],
  ['a hidden key', { role, roles: { one: { User: { hidden: ['id'] } } } },
    /'id' is the primary key of User and cannot be hidden/],
  ['only without the key', { role, roles: { one: { User: { only: ['name'] } } } }, /Add it to 'only'/],
  ['an unknown operation', { role, roles: { one: { User: { operations: ['lst'] } } } },
    /roles.one.User.operations: expected one of 'list', 'get'.*Did you mean 'list'\?/],
  ['operations that are no list', { role, roles: { one: { User: { operations: 'list' } } } },
    /operations must be a list of operations/],
  ['readonly: true with an operation that sets properties', {
    role,
    roles: { one: { User: { readonly: true, operations: ['update'] } } },
  }, /has readonly: true, so that bodies may set nothing, but also the operation 'update'/],
  ['rows that are undefined', { role, roles: { one: { User: { rows: undefined } } } },
    /access: roles.one.User.rows is not certainly a condition on User/],
  ['rows with undefined', { role, roles: { one: { User: { rows: { name: undefined } } } } },
    /roles.one.User.rows is not certainly a condition on User: name: it is undefined/],
  ['rows with a value that the column cannot hold', { role, roles: { one: { User: { rows: { id: 'abc' } } } } },
    /roles.one.User.rows is not certainly a condition on User: id: it is 'abc'/],
  ['rows with an unknown name', { role, roles: { one: { User: { rows: { nam: 'x' } } } } },
    /User has no property 'nam'. Did you mean 'name'\?/],
  ['rows for entities of which one has no such property', { role, roles: { one: { '*': { rows: { name: 'x' } } } } },
    /is not certainly a condition on Task/],
]

for (const [what, access, message] of refused) {
  t.test(`refuses ${what}`, async (t) => {
    t.throws(() => accessFor(access as never, orm.em), { code: 'FST_CRUD_CONFIG_INVALID', message })
  })
}

t.test('accepts rules, true, false, and rules for other entities', async (t) => {
  const access = accessFor({
    role,
    roles: {
      all: true,
      one: { User: { only: ['id', 'name'], rows: () => ({ name: 'x' }) }, Task: {}, '*': { hidden: ['since'] } },
      none: { Task: false },
    },
  }, orm.em)
  const one = access.roles.get('one')!
  t.ok(access.roles.get('all')!.unlimited)
  t.equal(access.roles.get('none')!.ruleOf('User'), undefined)
  t.equal(access.roles.get('none')!.ruleOf('Task'), undefined)
  t.equal(one.ruleOf('User')!.hides('full_name'), true)
  t.equal(one.ruleOf('Membership')!.hides('since'), true)
  t.equal(one.ruleOf('Membership')!.hides('user'), false)
})

t.test('the names of Object.prototype are neither entities nor roles', async (t) => {
  const { roles } = accessFor({ role, roles: { one: { User: true } } }, orm.em)
  for (const name of ['constructor', '__proto__', 'toString']) {
    t.equal(roles.get(name), undefined)
    t.equal(roles.get('one')!.ruleOf(name), undefined)
  }
})
