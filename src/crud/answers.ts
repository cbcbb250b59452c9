/** Converts answers to the results of the methods of `CrudBase`: values on synchronous sessions, promises on others. */
import type { JsonAnswer } from '../read/index.ts'

/** The JSON text of an answer. The answer to a record that does not exist is null. */
export const jsonOfAnswer = (answer: JsonAnswer | null): string | null => answer?.json ?? null

/** The value of an answer. */
export const valueOfAnswer = ({ json }: JsonAnswer): unknown => JSON.parse(json)

/** The value of a JSON text, if there is one. */
export const valueOfText = (text: string | null): unknown => text === null ? null : JSON.parse(text)

/** An answer that is a result. */
export const asItIs = <Answer>(answer: Answer): Answer => answer
