/** The address of the page as state. */
import { useEffect, useState } from 'preact/hooks'
import { formatAddress, parseAddress, type Address } from '../url/address.ts'

/** The path of the explorer, without a slash at its end. */
const base = new URL('.', document.baseURI).pathname.replace(/\/$/, '')

/** The root of the explorer, to which the paths of its own files are relative. */
export const explorerRoot = new URL('.', document.baseURI)

/** The address that the browser shows. */
export function currentAddress (): Address {
  const { pathname, search } = location
  const path = pathname.startsWith(base) ? pathname.slice(base.length) : pathname
  return parseAddress((path === '/' ? '' : path) + search)
}

/** The path of an address on this server, for links. */
export function hrefOf (address: Address): string {
  const text = formatAddress(address)
  return base + (text.startsWith('/') ? text : `/${text}`)
}

const listeners = new Set<() => void>()

/** Changes the address. Back returns to the former one, unless it is replaced. */
export function go (address: Address, how: 'push' | 'replace' = 'push'): void {
  const href = hrefOf(address)
  const from = shownHref()
  if (href !== from) history[`${how}State`](how === 'push' ? { from } satisfies Entry : history.state, '', href)
  for (const listener of listeners) listener()
}

/** The state of an entry of the history: the address from which it was reached. */
interface Entry {
  readonly from: string
}

const shownHref = (): string => location.pathname + location.search

/** Returns to an address: by Back if that leads there, so that a later Back does not show again what was closed. */
export function goBack (address: Address): void {
  if ((history.state as Entry | null)?.from === hrefOf(address)) history.back()
  else go(address)
}

/** Changes a part of the address. */
export function change (part: Partial<Address>, how?: 'push' | 'replace'): void {
  go({ ...currentAddress(), ...part }, how)
}

/** The address, whenever it changes. */
export function useAddress (): Address {
  const [address, setAddress] = useState(currentAddress)
  useEffect(() => {
    const update = (): void => setAddress(currentAddress())
    listeners.add(update)
    addEventListener('popstate', update)
    return () => {
      listeners.delete(update)
      removeEventListener('popstate', update)
    }
  }, [])
  return address
}
