import neostandard, { plugins } from 'neostandard'

export default [
  ...neostandard({ ts: true, filesTs: ['**/*.tsx'], ignores: ['**/dist', '.tap', 'coverage'] }),
  {
    // an entity and its type share a name, as MikroORM recommends. The compiler refuses double declarations
    files: ['**/*.ts', '**/*.tsx'],
    rules: { '@typescript-eslint/no-redeclare': 'off' },
  },
  {
    plugins: { '@stylistic': plugins['@stylistic'] },
    // `npm run format` fills the lines of objects there
    files: ['test/**/*.ts'],
    rules: { '@stylistic/object-property-newline': 'off' },
  },
  {
    plugins: { '@stylistic': plugins['@stylistic'] },
    // `npm run format` breaks code; you break comments and texts
    rules: {
      '@stylistic/max-len': ['error', {
        code: 120,
        ignoreUrls: true,
        ignoreRegExpLiterals: true,
      }],
    },
  },
]
