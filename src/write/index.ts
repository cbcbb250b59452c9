/** Writes of one resource: data in, the written record out. They refuse data that bodies may not hold. */
export { closedBody } from './closed-body.ts'
export { entityTag } from './if-match.ts'
export { checkScopeData, readScopeData, scopeData, type Data } from './new-row.ts'
export { repeated } from './repeat.ts'
export { changesOfHook, keyColumnErrors, keyNames, withoutKey } from './update-data.ts'
export { valuesData } from './values.ts'
export { Writer, type Written } from './writer.ts'
