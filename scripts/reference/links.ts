/** Links between the pages: from names in texts and types to the parts that describe them. */
import type { Part } from './entry.ts'

/** Where a part is: the name of its page, and its heading's anchor there. */
interface Place {
  readonly page: string
  readonly anchor: string
}

/** The places of parts, by the heading without `()`. Two data providers have exports with one name. */
export type Places = ReadonlyMap<string, readonly Place[]>

export function placesOf (pages: ReadonlyArray<readonly [page: string, parts: readonly Part[]]>): Places {
  const places = new Map<string, Place[]>()
  for (const [page, parts] of pages) {
    const anchors: string[] = []
    for (const { heading } of parts) {
      const slug = slugOf(heading)
      // headings may differ in capital letters only: GitHub and the website number their anchors
      const same = anchors.filter((other) => other === slug).length
      anchors.push(slug)
      const name = withoutCall(heading)
      places.set(name, [...places.get(name) ?? [], { page, anchor: same === 0 ? slug : `${slug}-${same}` }])
    }
  }
  return places
}

/** The anchor of a heading, as GitHub and the website make it. */
export const slugOf = (heading: string): string =>
  heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')

const withoutCall = (heading: string): string => heading.replace(/\(\)$/, '')

/** The address of a part in a link of a page, which prefers its own parts. */
export function addressOf (name: string, page: string, places: Places): string {
  const found = places.get(name)!
  const target = found.find((place) => place.page === page) ?? found[0]!
  return `${target.page === page ? '' : `${target.page}.md`}#${target.anchor}`
}

/**
 * A part as Markdown. The first mention of each other part is a link. A last line links the types that no text names.
 * Methods that a text names alone are of the same class.
 */
export function linkedPart ({ heading, texts, types }: Part, page: string, places: Places): string {
  const own = withoutCall(heading)
  const [exported = ''] = own.split('.')
  const linked = new Set([own, exported])
  const link = (text: string): string =>
    text.replace(/(?<![[\w])`([\w.]+)(?:\(\))?`(?!\])/g, (shown, written: string) => {
      const name = places.has(`${exported}.${written}`) ? `${exported}.${written}` : written
      if (!places.has(name) || linked.has(name)) return shown
      linked.add(name)
      return `[${shown}](${addressOf(name, page, places)})`
    })
  const body = texts.map((text) => text.startsWith('```') ? text : link(text))
  const names = new Set(types.flatMap((type) => type.match(/\b[A-Z]\w+\b/g) ?? []))
  const others = [...names].filter((name) => places.has(name) && !linked.has(name)).sort()
  const links = others.map((name) => `[\`${name}\`](${addressOf(name, page, places)})`)
  const see = links.length === 0 ? [] : [`See ${links.join(', ')}.`]
  return `${[`${own === exported ? '##' : '###'} ${heading}`, ...body, ...see].join('\n\n')}\n`
}
