/** The frame of the page: the resources, who is asking, and the theme. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ResourceDescription } from '../../../src/explorer/description.ts'
import { rootOf, useApi } from '../../state/context.ts'
import { usePhone } from '../../state/phone.ts'
import type { Address } from '../../url/address.ts'
import { Icon } from '../basics/icon.tsx'
import { Link } from '../basics/link.tsx'
import { ProfileMenu } from '../profiles/profile-menu.tsx'
import { Help } from './help.tsx'
import { ThemeSwitch } from './theme-switch.tsx'
import { UnsavedBar } from './unsaved-bar.tsx'

interface ShellProps {
  readonly resource: ResourceDescription | undefined
  readonly address: Address
  readonly children: ComponentChildren
}

export function Shell ({ resource, address, children }: ShellProps) {
  const { description } = useApi()
  const [isOpen, setOpen] = useState(false)
  const { title, docs, resources } = description
  const isPhone = usePhone()
  const brand = <Link class='brand' to={{ path: '', params: [], own: {} }} onGo={() => setOpen(false)}>{title}</Link>
  const caller = <ProfileMenu description={description} />
  return (
    <div class='shell'>
      <a class='skip' href='#content'>Skip to the records</a>
      <header class='side'>
        <div class='side-head'>
          {!isPhone && brand}
          <button
            type='button'
            class='button button-bare side-toggle'
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name='menu' />
            <span>{resource?.title ?? 'Resources'}</span>
          </button>
          {isPhone && caller}
        </div>
        <div class={isOpen ? 'side-body side-open' : 'side-body'}>
          {isPhone && brand}
          <nav aria-label='Resources'>
            <ul>
              {resources.map((each) => (
                <li key={each.path}>
                  <Link
                    to={{ path: each.path, params: [], own: {} }}
                    current={each === resource}
                    onGo={() => setOpen(false)}
                  >
                    {each.title}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          <div class='side-foot'>
            {!isPhone && caller}
            {docs !== null && (
              <a class='quiet-link' href={`${rootOf(description)}/${docs}`}>
                API documentation <Icon name='open' />
              </a>
            )}
            <div class='side-row'>
              <ThemeSwitch />
              <Help />
            </div>
          </div>
        </div>
      </header>
      <main id='content' tabIndex={-1}>
        <h1 class='hidden'>{resource?.title ?? title}</h1>
        <UnsavedBar shown={resource && address} />
        <div class='content'>{children}</div>
      </main>
    </div>
  )
}
