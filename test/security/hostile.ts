/** Texts that would do harm inside a statement, a pattern, a path or a header. */
import fc from 'fast-check'

/** A marker that only occurs in texts of attackers. */
export const CANARY = 'zqx7canary'

export const HOSTILE: readonly string[] = [
  "'", "''", '"', '""', '`', '\\', "\\'", ';', '--', '/*', '*/', '$1', '$$', '?', '??', ':name', '{}', '[]', '::raw',
  '.', '::', '%', '_', '\n', '\t', '\u0000', '\u2028', '＇', 'ʼ', '0x27', '%27', "' or 1=1 --",
  "'; drop table plant; --", '"; drop table plant; --', '1) or (1=1', '1 or 1=1',
  'id desc nulls first; select pg_sleep(10)', "name' || (select version()) || '", 'e0', '"e0"."purchase_price"',
  '@page', '@rows', 'union select * from supplier', '$ne', '$or', '$raw', '[raw]: now() (#1)', 'raw(now())',
  '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'purchasePrice', 'supplier.email', 'deleted_at',
  'name::text', "name->>'a'", 'name asc', 'null', 'true', "E'\\\\x27'", "U&'\\0027'", '$tag$;select 1;$tag$',
  '$$;select 1;$$', "');select pg_sleep(10);--", '\\x27', '\\047', '{"a":1}', '{NULL}', '{"', '}', '(,)', '"\\""',
  '\r\nX-Injected: 1', '$' + '{7*7}', '{{7*7}}', '%s%n', '../../etc/passwd', '\uFEFF', '\u202e', 'ＳＥＬＥＣＴ',
  '9'.repeat(400), '-' + '9'.repeat(40), '1e400', '1e-400', 'NaN', 'Infinity', '-0',
  '00000000-0000-0000-0000-000000000000', "2024-01-01' --", '2024-02-30', 'infinity', 'now()', 'current_user',
  'pg_sleep(10)', '\\N', 'x'.repeat(300),
]

/** A hostile text, alone or beside the canary, or any text at all. */
export const hostile: fc.Arbitrary<string> = fc.oneof(fc.constantFrom(...HOSTILE),
  fc.constantFrom(...HOSTILE).map((text) => `${CANARY}${text}`),
  fc.constantFrom(...HOSTILE).map((text) => `${text}${CANARY}`),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }))

/** Raw text in a URL: bytes that are not UTF-8, invalid escapes, and characters in more bytes than necessary. */
export const RAW: readonly string[] = [
  '%ff', '%c3%28', '%ed%a0%80', '%', '%2', '%zz', '%u0041', '%c0%a7', '%e0%80%a7', '%2527', '%f0%9f%98', '+',
  '%0d%0aX-Injected:%201',
]
