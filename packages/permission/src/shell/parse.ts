// The only module that knows which parser is used.
export { type ParsedScript, parse } from 'unbash'
