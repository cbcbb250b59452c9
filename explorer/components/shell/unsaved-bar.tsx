/** The forms that a person has left before saving, as links. */
import { resourceAt } from '../../api/records.ts'
import { hrefOf } from '../../state/address.ts'
import { useApi } from '../../state/context.ts'
import { unsavedForms, useUnsaved } from '../../state/unsaved.ts'
import type { Address } from '../../url/address.ts'
import { Link } from '../basics/link.tsx'

/** @param shown the address of the form that the page shows, which is not among the links */
export function UnsavedBar ({ shown }: { readonly shown: Address | undefined }) {
  const { description } = useApi()
  useUnsaved()
  const isShown = ({ path, own }: Address): boolean =>
    path === shown?.path && own.open === shown.own.open && (own.open !== undefined || shown.own.create !== undefined)
  const left = unsavedForms().filter(({ address }) => !isShown(address))
  // the element is always there, so that screen readers notice its content
  return (
    <div role='status' class={left.length > 0 ? 'unsaved' : undefined}>
      {left.length > 0 && <span>Not saved yet:</span>}
      {left.map(({ title, address }) => (
        <Link key={hrefOf(address)} to={address}>
          {title} in {resourceAt(description, address.path)?.title ?? address.path}
        </Link>
      ))}
    </div>
  )
}
