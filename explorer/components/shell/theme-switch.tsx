/** The choice between light and dark. */
import { useState } from 'preact/hooks'
import { currentTheme, setTheme, type Theme } from '../../state/theme.ts'

const NAMES: Readonly<Record<Theme, string>> = { system: 'System theme', light: 'Light theme', dark: 'Dark theme' }

export function ThemeSwitch () {
  const [theme, set] = useState(currentTheme)
  return (
    <label class='theme'>
      <span class='hidden'>Theme</span>
      <select
        value={theme}
        onChange={({ currentTarget }) => {
          const next = currentTarget.value as Theme
          setTheme(next)
          set(next)
        }}
      >
        {Object.entries(NAMES).map(([value, name]) => <option key={value} value={value}>{name}</option>)}
      </select>
    </label>
  )
}
