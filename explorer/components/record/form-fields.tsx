/** The inputs of a record's form: its properties, and the lists of its children. */
import type { CrudError } from '../../../src/client/error.ts'
import type { ResourceDescription } from '../../../src/explorer/description.ts'
import type { Draft, Drafts, Property } from '../../api/drafts.ts'
import { relationsOf, type Row } from '../../api/records.ts'
import { ChildrenField } from './children-field.tsx'
import { Fields } from './fields.tsx'

interface FormFieldsProps {
  readonly resource: ResourceDescription
  readonly properties: readonly Property[]
  readonly drafts: Drafts
  readonly before: Drafts
  readonly error: CrudError | undefined
  /** The record, for its children and the names of related records. */
  readonly record?: Row
  readonly onDraft: (name: string, draft: Draft) => void
}

export function FormFields ({ resource, properties, ...props }: FormFieldsProps) {
  const { drafts, error, record, onDraft } = props
  return (
    <div class='form-fields'>
      <Fields properties={properties.filter(({ children }) => children === undefined)} {...props} />
      {properties.map(({ name, title, description, children }) =>
        children && (
          <ChildrenField
            key={name}
            name={name}
            title={title}
            description={description}
            rules={children}
            relation={relationsOf(resource.includes).find((relation) => relation.name === name)}
            value={record?.[name]}
            draft={drafts[name]}
            error={error}
            onDraft={(draft) => onDraft(name, draft)}
          />
        )
      )}
    </div>
  )
}
