/** The type of requests of generated routes. Most of their schemas is made of an entity's metadata, at start-up. */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { TRecord, TString, TUnknown } from '@sinclair/typebox'
import type { FastifyRequest, RawRequestDefaultExpression, RawServerDefault, RouteGenericInterface } from 'fastify'

/**
 * What is known of the schemas before there is an entity. With `attachValidation`, handlers also get bodies that the
 * schema refuses, so the type of a body is not a record.
 */
interface KnownSchema {
  readonly params: TRecord<TString, TString>
  readonly querystring: TRecord<TString, TUnknown>
}

export type RouteRequest = FastifyRequest<
  RouteGenericInterface,
  RawServerDefault,
  RawRequestDefaultExpression,
  KnownSchema,
  TypeBoxTypeProvider
>
