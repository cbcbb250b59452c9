import neostandard from 'neostandard'

export default [
  ...neostandard({ ts: true, noJsx: true, ignores: ['dist', '.tap', 'coverage'] }),
  {
    // an entity and its type share a name, as MikroORM recommends; the compiler refuses what is declared twice by mistake
    files: ['**/*.ts'],
    rules: { '@typescript-eslint/no-redeclare': 'off' },
  },
]
