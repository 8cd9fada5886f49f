/**
 * Words of texts that are searched, and how long a text is for a model (`@ext/kernel/words`).
 * @module
 */
export { splitWords, stemWord } from './split.js'
export { STOP_WORDS } from './stop.js'
export { estimateTokens } from './tokens.js'
