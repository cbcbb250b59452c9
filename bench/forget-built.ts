/** For modules whose imports read the bundle: import this one before them. */
import { forgetBuilt } from './built.ts'

forgetBuilt()
