/** A form for a category. The API's errors are shown beside the inputs. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { api, category, queryClient, STATUSES, type Status } from './api.ts'
import { Failure, Field, messageOf } from './fields.tsx'

interface FormProps {
  readonly id: string
  readonly onClose: () => void
}

export function CategoryForm ({ id, onClose }: FormProps) {
  const { data, error } = useQuery(category(id))
  const update = useMutation({
    mutationFn: (body: Parameters<typeof api['/categories']['update']>[1]) => api['/categories'].update(id, body),
    async onSuccess () {
      await queryClient.invalidateQueries({ queryKey: ['categories'] })
      onClose()
    },
  })

  const save = (form: FormData) => {
    const price = String(form.get('price'))
    update.mutate({
      name: String(form.get('name')),
      price: price === '' ? null : Number(price),
      status: form.get('status') as Status,
    })
  }

  if (!data) return <Failure error={error} />
  return (
    <form
      aria-label={`Edit ${data.name}`}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        save(new FormData(event.currentTarget))
      }}
    >
      <Field label='Name' error={messageOf(update.error, '/name')}>
        {(props) => <input {...props} name='name' defaultValue={data.name} />}
      </Field>
      <Field label='Price' error={messageOf(update.error, '/price')}>
        {(props) => <input {...props} name='price' type='number' step='any' defaultValue={data.price ?? ''} />}
      </Field>
      <Field label='Status' error={messageOf(update.error, '/status')}>
        {(props) => (
          <select {...props} name='status' defaultValue={data.status}>
            {STATUSES.map((status) => <option key={status}>{status}</option>)}
          </select>
        )}
      </Field>
      <p>
        <button disabled={update.isPending}>Save</button> <button type='button' onClick={onClose}>Cancel</button>
      </p>
      <Failure error={update.error} />
    </form>
  )
}
