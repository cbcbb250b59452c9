/** The records of a list: a table, or cards on a phone. */
import type { ComponentProps } from 'preact'
import { usePhone } from '../../state/phone.ts'
import { namesOf } from '../../url/names.ts'
import type { Pair } from '../../url/address.ts'
import { Cards } from './cards.tsx'
import { Grid } from './grid.tsx'

type RecordsProps = ComponentProps<typeof Grid> & {
  readonly params: readonly Pair[],
}

export function Records ({ params, ...props }: RecordsProps) {
  return usePhone() ? <Cards {...props} isChosen={namesOf(params, 'fields') !== undefined} /> : <Grid {...props} />
}
