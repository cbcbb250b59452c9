/** Collects the mistakes of the entries of a list, so that one start of the server shows all of them. */
import { ConfigError } from './errors.ts'

export class ConfigMistakes {
  readonly #messages: string[] = []

  /** Looks up entries, and leaves out those with a mistake. */
  lookUp<Entry, Result> (
    entries: readonly Entry[],
    resultsOf: (entry: Entry) => Result | readonly Result[]
  ): readonly Result[] {
    return entries.flatMap((entry) => {
      try {
        return resultsOf(entry)
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        this.#messages.push(error.message)
        return []
      }
    })
  }

  /** @throws {ConfigError} with each mistake on its own line, if there are any */
  throw (): void {
    if (this.#messages.length > 0) throw new ConfigError(this.#messages.join('\n'))
  }
}
