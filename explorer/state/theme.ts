/** Light or dark, as the system has it or as the person has chosen. */
export type Theme = 'system' | 'light' | 'dark'

const KEY = 'fastify-crud-kit/explorer/theme'

/** The chosen theme. */
export function currentTheme (): Theme {
  const { theme } = document.documentElement.dataset
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

/** Chooses a theme and remembers it. */
export function setTheme (theme: Theme): void {
  document.documentElement.dataset['theme'] = theme
  try {
    localStorage.setItem(KEY, theme)
  } catch {
    // without a storage, the theme lasts until the page is reloaded
  }
}

/** Sets the theme that was chosen before. */
export function restoreTheme (): void {
  let theme: string | null = null
  try {
    theme = localStorage.getItem(KEY)
  } catch {
    // a blocked storage has no theme
  }
  document.documentElement.dataset['theme'] = theme === 'light' || theme === 'dark' ? theme : 'system'
}
