/** Starts the page. */
import { render } from 'preact'
import './styles/tokens.css'
import './styles/base.css'
import './styles/shell.css'
import './styles/list.css'
import './styles/filters.css'
import './styles/numbers.css'
import './styles/record.css'
import './styles/phone.css'
import { App } from './components/app.tsx'
import { restoreTheme } from './state/theme.ts'

restoreTheme()
render(<App />, document.getElementById('app')!)
