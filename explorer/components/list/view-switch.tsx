/** Leads from the records of a resource to numbers about them, and back. The filters stay. */
import type { ResourceDescription } from '../../../src/explorer/description.ts'
import type { Pair } from '../../url/address.ts'
import { listOf, numbersOf } from '../../url/numbers.ts'
import { Link } from '../basics/link.tsx'

interface ViewSwitchProps {
  readonly resource: ResourceDescription
  readonly params: readonly Pair[]
  readonly isNumbers: boolean
}

export function ViewSwitch ({ resource, params, isNumbers }: ViewSwitchProps) {
  if (!resource.operations.aggregate || !resource.operations.list) return null
  return (
    <nav class='segments' aria-label='View'>
      <Link class='segment' to={listOf(resource, params)} current={!isNumbers}>Records</Link>
      <Link class='segment' to={numbersOf(resource, params)} current={isNumbers}>Numbers</Link>
    </nav>
  )
}
