/** A react-admin application without pages, for tests of hooks. */
import './dom.ts'
import { QueryClient } from '@tanstack/react-query'
import { CoreAdminContext, TestMemoryRouter, type DataProvider } from 'ra-core'
import { createElement, type ReactElement, type ReactNode } from 'react'
import type { Test } from 'tap'

/** The contexts of an application, with an empty cache. */
export const within = (t: Test, dataProvider: DataProvider) => (child: ReactNode): ReactElement => {
  // a cache that is kept for minutes would keep the process, too
  const queryClient = new QueryClient({
    defaultOptions: { queries: { retry: false, gcTime: Infinity }, mutations: { gcTime: Infinity } },
  })
  t.teardown(() => queryClient.clear())
  return createElement(TestMemoryRouter, null,
    createElement(CoreAdminContext, { dataProvider, queryClient }, child as ReactElement))
}

/** Callbacks of a mutation. */
interface Callbacks<Result> {
  readonly onSuccess: (result: Result) => void
  readonly onError: (error: unknown) => void
}

/** Calls a mutation of react-admin, and waits for its result. Not all mutations of ra-core 5.0 return a promise. */
export async function settled<Result> (mutate: (callbacks: Callbacks<Result>) => unknown): Promise<Result> {
  return await new Promise((resolve, reject) => {
    mutate({ onSuccess: resolve, onError: reject })
  })
}
