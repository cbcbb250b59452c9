/** Who is compared. */
export type VariantName = 'hand-written' | 'crud-kit' | 'mikro-orm'

/** What the ratios refer to. */
export const BASE: VariantName = 'hand-written'

export const variants: ReadonlyArray<{ readonly name: VariantName, readonly title: string }> = [
  { name: 'hand-written', title: 'hand-written Fastify + pg' },
  { name: 'crud-kit', title: 'fastify-crud-kit' },
  { name: 'mikro-orm', title: 'MikroORM find + serialize' },
]
