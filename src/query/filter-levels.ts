/** Builds the tree of filters and groups. */
import { withoutPrototype, frozen } from './frozen.ts'
import type { GroupStep, GroupWord } from './filter-names.ts'
import type { FilterGroup, FilterLevel, FilterParam } from './parsed-query.ts'

/** Filters and groups that must all hold, while they are gathered. */
export class LevelDraft {
  /** The first parameter of the level, for errors. */
  readonly name: string
  readonly #filters: FilterParam[] = []
  #groups: Map<GroupWord, Map<number, LevelDraft>> | undefined

  constructor (name: string) {
    this.name = name
  }

  add (filter: FilterParam): void {
    this.#filters.push(filter)
  }

  /** The level at the end of a path of groups, which is made if it does not exist. */
  at ([step, ...rest]: readonly GroupStep[], name: string): LevelDraft {
    return step === undefined ? this : this.#member(step, name).at(rest, name)
  }

  #member ({ word, index }: GroupStep, name: string): LevelDraft {
    const groups = this.#groups ??= new Map()
    let members = groups.get(word)
    if (members === undefined) groups.set(word, members = new Map())
    let member = members.get(index)
    if (member === undefined) members.set(index, member = new LevelDraft(name))
    return member
  }

  /**
   * Returns the level. Members without a filter that could be read are left out.
   *
   * @param onGap is called for a group whose members do not have the numbers 0, 1, 2 and so on. The group is left out.
   */
  finish (onGap: (word: GroupWord, missing: number, name: string) => void): FilterLevel {
    const groups: FilterGroup[] = []
    for (const [word, members] of this.#groups ?? []) {
      const finished: FilterLevel[] = []
      for (let index = 0; index < members.size; index++) {
        const member = members.get(index)
        if (member === undefined) {
          onGap(word, index, [...members].find(([other]) => other >= members.size)![1].name)
          finished.length = 0
          break
        }
        const level = member.finish(onGap)
        if (level.filters.length > 0 || level.groups.length > 0) finished.push(level)
      }
      if (finished.length > 0) groups.push(withoutPrototype({ word, members: frozen(finished) }))
    }
    return withoutPrototype({ filters: frozen(this.#filters), groups: frozen(groups) })
  }
}
