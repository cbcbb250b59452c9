/** The table of docs/reference/limits.md, against the code. */
import Fastify from 'fastify'
import fs from 'node:fs'
import t from 'tap'
import { DEFAULT_MAX_BATCH, IdempotencyOptionsSchema, StreamOptionsSchema } from '../src/http/route-options.ts'
import { MAX_KEY_LENGTH } from '../src/http/routes/idempotency.ts'
import { MAX_AFFECTED, MAX_INCLUDE_DEPTH } from '../src/config/index.ts'
import { MAX_FACET_VALUES } from '../src/config/allowed-facet.ts'
import { completePool, DATABASE_DEFAULTS } from '../src/database/database-options.ts'
import { defaultsOf } from '../src/base/option-checks.ts'
import { MAX_ERRORS } from '../src/base/error-list.ts'
import { AllowedFacet, QueryBuilderConfig } from '../src/index.ts'
import { MAX_EXCLUDED } from '../src/plan/filters/full-text.ts'
import { MAX_PATTERN_LENGTH, MAX_WILDCARDS } from '../src/operators/pattern.ts'
import { MAX_STREAM_BATCH } from '../src/base/page-styles.ts'
import { MAX_INCLUDES, MAX_PATTERNS, MAX_SUB_QUERIES } from '../src/plan/index.ts'
import { GROUP_PAGES } from '../src/plan/whitelist/index.ts'
import {
  MAX_BODY_LIST_ITEMS, MAX_CONDITIONS, MAX_FILTER_DEPTH, MAX_GROUP_DEPTH, MAX_LIST_ITEMS, MAX_PARAMETERS,
  MAX_QUERY_BODY_BYTES, MAX_QUERY_BYTES,
} from '../src/query/limits.ts'
import { PART_BYTES } from '../src/run/streams/read-cursor.ts'

const { pagination } = new QueryBuilderConfig()
const pool = completePool(undefined)
const stream = defaultsOf(StreamOptionsSchema)

const DEFAULTS: Readonly<Record<string, number>> = {
  'Bytes of a query string': MAX_QUERY_BYTES,
  'Bytes of a query that is a body': MAX_QUERY_BODY_BYTES,
  'Parameters in a query string': MAX_PARAMETERS,
  'Bracket levels after `filter`': MAX_FILTER_DEPTH,
  'Groups (`and`, `or`, `not`) around a condition': MAX_GROUP_DEPTH,
  'Conditions of a query with groups': MAX_CONDITIONS,
  'Sub-queries about related records of a query with groups': MAX_SUB_QUERIES,
  'Patterns of a query with groups, those of a search among them': MAX_PATTERNS,
  'Items of a list in a filter': MAX_LIST_ITEMS,
  'Items of a list in a query that is a body, or an object of a program': MAX_BODY_LIST_ITEMS,
  'Characters of a pattern': MAX_PATTERN_LENGTH,
  'Wildcards of a pattern': MAX_WILDCARDS,
  'Words that a full text leaves out': MAX_EXCLUDED,
  'Relations in the path of an include': MAX_INCLUDE_DEPTH,
  'Includes of a request': MAX_INCLUDES,
  'Records of a page, unless the URL says otherwise': pagination.defaultPerPage,
  'Records of a page': pagination.maxPerPage,
  'Records that a page may skip': pagination.maxOffset,
  'Groups of a page of aggregates, unless the URL says otherwise': GROUP_PAGES.defaultPerPage,
  'Groups of a page of aggregates': GROUP_PAGES.maxPerPage,
  'Values of a facet, unless the whitelist says otherwise': new AllowedFacet('status').limit,
  'Values of a facet': MAX_FACET_VALUES,
  'Included records of an answer': pagination.maxIncluded,
  'Bytes of the records of an answer': pagination.maxBytes,
  'Records of a batch (`createMany`, `upsert`), children of a request': DEFAULT_MAX_BATCH,
  'Characters of an `Idempotency-Key`': MAX_KEY_LENGTH,
  'Hours for which an answer can be repeated': defaultsOf(IdempotencyOptionsSchema).ttlHours,
  'Records of an `updateMany` or `deleteMany`': MAX_AFFECTED,
  'Bytes of another body': Fastify().initialConfig.bodyLimit!,
  'Milliseconds of a statement': DATABASE_DEFAULTS.statementTimeoutMillis,
  'Milliseconds that a request waits for a connection': pool.connectionTimeoutMillis,
  'Requests that wait for a connection': pool.queueLimit,
  'Milliseconds in which the client of a stream must read a mebibyte': stream.stallTimeoutMillis,
  'Milliseconds of a stream': stream.timeoutMillis,
  'Milliseconds of open streams after the server begins to close': stream.closeTimeoutMillis,
  'Streams at the same time, for each pool': pool.max - 1,
  'Bytes of a stream that are read at a time': PART_BYTES,
  'Records of a stream that are read at a time': MAX_STREAM_BATCH,
  'Included records of one record of a stream': pagination.maxIncluded,
  'Bytes of one record of a stream with includes': pagination.maxBytes,
  'Errors that an answer lists': MAX_ERRORS,
}

t.test('each default equals that of the code, and each limit is in the table', async (t) => {
  const text = fs.readFileSync(new URL('../docs/reference/limits.md', import.meta.url), 'utf8')
  const rows = [...text.matchAll(/^\| ([^|]+) \| (\d+) \| /gm)].map(([, what, number]) => [what, Number(number)])
  t.strictSame(Object.fromEntries(rows), DEFAULTS)
})
