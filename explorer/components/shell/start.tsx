/** The page before a resource is chosen: the resources, and what they can do. */
import type { Operations } from '../../../src/explorer/description.ts'
import { useApi } from '../../state/context.ts'
import { Link } from '../basics/link.tsx'
import { Empty } from '../basics/notice.tsx'

type Operation = Exclude<keyof Operations, 'maxBatch' | 'maxAffected' | 'hardDelete' | 'requireIfMatch'>

/** The operations in the words of the page, in the order in which a card lists them. */
const OPERATIONS: Readonly<Record<Operation, string>> = {
  list: 'list',
  get: 'get',
  aggregate: 'numbers',
  create: 'create',
  createMany: 'create many',
  update: 'update',
  delete: 'delete',
  restore: 'restore',
  updateMany: 'update many',
  deleteMany: 'delete many',
  upsert: 'upsert',
}

const namesOf = (operations: Operations): string =>
  Object.entries(OPERATIONS).filter(([name]) => operations[name as Operation]).map(([, words]) => words).join(', ')

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

export function Start () {
  const { description } = useApi()
  const { title, resources, role } = description
  if (resources.length === 0) {
    return (
      <Empty title={role === null ? 'The API has no resources yet' : 'There is nothing to see for this role'}>
        <p>
          {role === null
            ? 'Give crudKit its first resource, and reload this page. Or choose another caller under “Ask as”.'
            : `The API offers no resource to the role ${role}. Choose another caller under “Ask as”.`}
        </p>
      </Empty>
    )
  }
  return (
    <div class='start'>
      <h2 class='title'>{title}</h2>
      <p class='quiet'>
        Choose a resource. Each click edits a URL of the API: the one in the address bar.
      </p>
      <ul class='cards'>
        {resources.map(({ path, title, operations, filters, includes }) => (
          <li key={path}>
            <Link class='card' to={{ path, params: [], own: {} }}>
              <strong>{title}</strong>
              <code>{path}</code>
              <span class='quiet'>{namesOf(operations)}</span>
              <span class='quiet'>{counted(filters.length, 'filter')}, {counted(includes.length, 'include')}</span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}
