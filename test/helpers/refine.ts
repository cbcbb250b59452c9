/** A refine application without pages, for tests of hooks. */
import './dom.ts'
import { Refine, type DataProvider } from '@refinedev/core'
import { createElement, type ReactElement, type ReactNode } from 'react'

/** The contexts of an application. */
export const within = (dataProvider: DataProvider) => (child: ReactNode): ReactElement => {
  // a cache that is kept for minutes would keep the process, too
  const defaultOptions = { queries: { retry: false, gcTime: Infinity }, mutations: { gcTime: Infinity } }
  const options = { disableTelemetry: true, reactQuery: { clientConfig: { defaultOptions } } }
  return createElement(Refine, { dataProvider, options }, child)
}
