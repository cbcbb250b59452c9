/**
 * The explorer: a page that makes the API visible. In: the resources of a server, and the request of a caller. Out: the
 * document of everything that the caller may do, and the files of the page. Errors: wrong options, and a page that has
 * not been built. Only servers with the explorer load this folder.
 */
export { askResources, refusalOfAll } from './callers.ts'
export { describeApi } from './document.ts'
export { explain } from './explain.ts'
export { encodedFor, etagOfText, pageAt, readBuiltPage, type PageFile } from './files.ts'
export { apiFacts, checkExplorerOptions, type ExplorerHeader, type ExplorerOptions } from './explorer-options.ts'
