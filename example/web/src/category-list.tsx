/** A page of categories: filters, an order, and the next page. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { categoryList, STATUSES, type Status } from './api.ts'
import { Failure, Field, messageOf } from './fields.tsx'

const SORTS = { '+name': 'Name', '-price': 'Price, highest first', '-created_at': 'Newest first' } as const
type Sort = keyof typeof SORTS

/** The conditions, the order and the page that a user has chosen. */
export interface Search {
  readonly name: string
  readonly price: number | undefined
  readonly status: Status | undefined
  readonly sort: Sort
  readonly page: number
}

export const EVERYTHING: Search = { name: '', price: undefined, status: undefined, sort: '+name', page: 1 }

interface ListProps {
  readonly search: Search
  readonly onSearch: (search: Search) => void
  readonly onEdit: (id: string) => void
}

export function CategoryList ({ search, onSearch, onEdit }: ListProps) {
  const { name, price, status, sort, page } = search
  /** Another condition or order leads to the first page. */
  const change = (some: Partial<Search>) => onSearch({ ...search, page: 1, ...some })

  const { data, error } = useQuery({
    ...categoryList({
      // `undefined` leaves a condition out
      filter: { name: { contains: name === '' ? undefined : name }, price: { gte: price }, status },
      sort: [sort],
      fields: ['id', 'name', 'price', 'status'],
      include: ['productsCount'],
      page,
      per_page: 5,
    }),
    placeholderData: keepPreviousData,
  })

  return (
    <>
      <form role='search' onSubmit={(event) => event.preventDefault()}>
        <Field label='Name contains' error={messageOf(error, 'filter[name][contains]')}>
          {(props) => <input {...props} value={name} onChange={({ target }) => change({ name: target.value })} />}
        </Field>
        <Field label='Price from' error={messageOf(error, 'filter[price][gte]')}>
          {(props) => (
            <input
              {...props}
              type='number'
              step='any'
              defaultValue={price}
              onChange={({ target }) => change({ price: target.value === '' ? undefined : target.valueAsNumber })}
            />
          )}
        </Field>
        <Field label='Status' error={messageOf(error, 'filter[status]')}>
          {(props) => (
            <select
              {...props}
              value={status ?? ''}
              onChange={({ target }) => change({ status: STATUSES.find((known) => known === target.value) })}
            >
              <option value=''>any</option>
              {STATUSES.map((known) => <option key={known}>{known}</option>)}
            </select>
          )}
        </Field>
        <Field label='Order' error={messageOf(error, 'sort')}>
          {(props) => (
            <select {...props} value={sort} onChange={({ target }) => change({ sort: target.value as Sort })}>
              {Object.entries(SORTS).map(([value, label]) => <option key={value} value={value}>{label}</option>)}
            </select>
          )}
        </Field>
      </form>
      <Failure error={error} />
      {data && (
        <>
          <table>
            <thead>
              <tr>
                <th>Name</th>
                <th>Price</th>
                <th>Status</th>
                <th>Products</th>
              </tr>
            </thead>
            <tbody>
              {data.items.map((category) => (
                <tr key={category.id}>
                  <td>
                    <button type='button' onClick={() => onEdit(category.id)}>{category.name}</button>
                  </td>
                  <td>{category.price}</td>
                  <td>{category.status}</td>
                  <td>{category.productsCount}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <p>
            <button type='button' disabled={!data.has_prev} onClick={() => change({ page: page - 1 })}>Previous</button>
            {' '}
            Page {data.page} of {data.total_pages}, {data.total} categories{' '}
            <button type='button' disabled={!data.has_next} onClick={() => change({ page: page + 1 })}>Next</button>
          </p>
        </>
      )}
    </>
  )
}
