import neostandard, { plugins } from 'neostandard'

export default [
  ...neostandard({ ts: true, noJsx: true, ignores: ['dist', '.tap', 'coverage'] }),
  {
    // an entity and its type share a name, as MikroORM recommends; the compiler refuses what is declared twice by mistake
    files: ['**/*.ts'],
    rules: { '@typescript-eslint/no-redeclare': 'off' },
  },
  {
    plugins: { '@stylistic': plugins['@stylistic'] },
    // `npm run format` breaks code; comments and texts are broken by hand
    rules: {
      '@stylistic/max-len': ['error', {
        code: 120,
        ignoreUrls: true,
        ignoreRegExpLiterals: true,
        ignoreComments: true,
        ignoreStrings: true,
        ignoreTemplateLiterals: true,
      }],
    },
  },
]
