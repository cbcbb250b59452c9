/**
 * The shape of answers. It takes a plan and the rows of its statement, and returns JSON text and page information. It
 * checks the limits of answers, and makes the wire form of values that only JavaScript can convert. It is pure: it has
 * no connection.
 */
export { checkRecord, refuseLongGroups, refuseManyGroups, tooLarge } from './answer-limits.ts'
export { cursorInfo, readKeyset } from './cursor-page.ts'
export { facetsJson, listJson, pageInfo, pageJson, plannedTotal, totalOfPage } from './page.ts'
export { planAgain } from './plan-again.ts'
export { toWireOf, toWireOfGroups, type JsonRecord, type ToWire } from './wire.ts'
