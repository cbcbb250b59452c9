/** Which lists, calls and tables the formatter packs after dprint, and which keep their lines. */
import t from 'tap'

const { fillLists } = await import(new URL('../../scripts/fill-lists.mjs', import.meta.url).href) as {
  fillLists: (text: string, path: string) => string,
}

interface Case {
  readonly what: string
  /** The file. Default: one of the source. */
  readonly path?: string
  readonly before: string
  /** Absent if it stays as it is. */
  readonly after?: string
}

/** A list with a value in each line. */
const column = (values: readonly string[], [open, close] = '[]', comma = ','): string =>
  [open, ...values.map((value, index) => `  ${value}${index < values.length - 1 ? ',' : comma}`), close].join('\n')

const names = Array.from({ length: 12 }, (_, index) => `'name${index}'`)
const words = Array.from({ length: 20 }, (_, index) => `word${index}`)
const sentence = `'${'a sentence '.repeat(4)}'`
const test = 'test/http/some.test.ts'

const CASES: readonly Case[] = [
  {
    what: 'a list of short values fills its lines',
    before: `const list = ${column(words)}\n`,
    after: `const list = [
  word0, word1, word2, word3, word4, word5, word6, word7, word8, word9, word10, word11, word12, word13, word14, word15,
  word16, word17, word18, word19,
]
`,
  },
  {
    what: 'a list that fits is on one line',
    before: `const list = ${column(['1', '-2', 'null', 'true', '`text`', 'a.b'])}\n`,
    after: 'const list = [1, -2, null, true, `text`, a.b]\n',
  },
  {
    what: 'the names of an import fill its lines',
    before: `import ${column([...words, 'type Last'], '{}')} from './words.ts'\n`,
    after: `import {
  word0, word1, word2, word3, word4, word5, word6, word7, word8, word9, word10, word11, word12, word13, word14, word15,
  word16, word17, word18, word19, type Last,
} from './words.ts'
`,
  },
  {
    what: 'objects of the whitelist are short values',
    before: `const list = ${column(["new AllowedSort('a')", "AllowedFilters.exact('b')", '...others'])}\n`,
    after: "const list = [new AllowedSort('a'), AllowedFilters.exact('b'), ...others]\n",
  },
  { what: 'sentences have a line each', before: `const list = ${column([sentence, sentence])}\n` },
  { what: 'a single value keeps its lines', before: `const list = ${column([names[0]!])}\n` },
  { what: 'calls are no short values in the source', before: `const list = ${column(['one(1)', 'two(2)', 'x'])}\n` },
  { what: 'a comment keeps the lines', before: `const list = ${column(['1', '/* two */ 2', '3'])}\n` },
  {
    what: 'lines that are joined again are the lines of a file',
    before: `const text = ${column(names)}.join('\\n')\n`,
  },
  { what: 'objects and calls keep their lines in the source', before: `call(${column(['a: 1', 'b: 2'], '{}')})\n` },
  {
    what: 'an object that fits is on one line in a test',
    path: test,
    before: `const row = ${column(['id: 1', "name: 'a'", "tags: ['b', 'c']"], '{}')}\n`,
    after: "const row = { id: 1, name: 'a', tags: ['b', 'c'] }\n",
  },
  {
    what: 'a call that fits is on one line in a test, with what is in it',
    path: test,
    before: `t.strictSame(
  one(
    2
  ),
  ${column(['a: 1', 'b: 2'], '{}').replaceAll('\n', '\n  ')}
)
`,
    after: 't.strictSame(one(2), { a: 1, b: 2 })\n',
  },
  {
    what: 'an object with many short values fills its lines in a test',
    path: test,
    before: `const row = ${column(words.map((word) => `${word}: '${word}'`), '{}')}\n`,
    after: `const row = {
  word0: 'word0', word1: 'word1', word2: 'word2', word3: 'word3', word4: 'word4', word5: 'word5', word6: 'word6',
  word7: 'word7', word8: 'word8', word9: 'word9', word10: 'word10', word11: 'word11', word12: 'word12',
  word13: 'word13', word14: 'word14', word15: 'word15', word16: 'word16', word17: 'word17', word18: 'word18',
  word19: 'word19',
}
`,
  },
  {
    what: 'the arguments of a call that is too long begin beside its bracket in a test',
    path: test,
    before: `t.equal(${column([sentence, sentence, names.slice(0, 3).join(' + ')], '  ', '').trim()})\n`,
    after: `t.equal(${sentence}, ${sentence},\n  ${names.slice(0, 3).join(' + ')})\n`,
  },
  {
    what: 'a row of a table begins beside its bracket in a test',
    path: test,
    before: `const table = [
  [
    ${sentence},
    ${sentence},
    ${sentence},
  ],
]
`,
    after: `const table = [
  [${sentence}, ${sentence},
    ${sentence}],
]
`,
  },
  {
    what: 'the head of a loop is on one line in a test',
    path: test,
    before: `for (
  const [name, value] of [
    [${sentence}, 1],
    [${sentence}, 2],
    [${sentence}, 3],
  ]
) {
  t.equal(name, value)
}
`,
    after: `for (const [name, value] of [
  [${sentence}, 1],
  [${sentence}, 2],
  [${sentence}, 3],
]) {
  t.equal(name, value)
}
`,
  },
  {
    what: 'statements keep their lines in a test',
    path: test,
    before: `t.test('name', async (t) => {
  t.pass()
})
`,
  },
  { what: 'texts of several lines keep them in a test', path: test, before: 'call(`one\ntwo`)\n' },
  {
    what: 'a comment keeps its line above values that fill theirs in a test',
    path: test,
    before: 'const row = {\n  // first\n  a: 1,\n  b: 2,\n  c: 3,\n}\n',
    after: 'const row = {\n  // first\n  a: 1, b: 2, c: 3,\n}\n',
  },
]

t.test('fillLists packs lists, calls and tables', async (t) => {
  for (const { what, path = 'src/some.ts', before, after = before } of CASES) {
    t.equal(fillLists(before, path), after, what)
    t.equal(fillLists(after, path), after, `${what}, and stays so`)
  }
})
