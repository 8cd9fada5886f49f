import fc from 'fast-check'
import { expect, test } from 'vitest'
import { estimateTokens, STOP_WORDS, splitWords, stemWord } from '../../src/words/index.js'

test.each([
  ['mcp__github__create-pull_request', ['mcp', 'github', 'create', 'pull', 'request']],
  ['listPDFFiles', ['listPDFFiles', 'list', 'PDF', 'Files']],
  ['Grüße, 2nd try!', ['Grüße', '2nd', 'try']],
  ['検索結果', ['検索', '索結', '結果']],
  ['...', []],
])('%s is the words %j', (text, words) => {
  expect(splitWords(text)).toEqual(words)
})

test.each([
  [['migrate', 'migrating', 'migrations', 'migrated']],
  [['file', 'files', 'Files', 'filing']],
  [['branch', 'branches']],
  [['query', 'queries', 'querying']],
  [['tags', 'tag', 'tagged']],
  [['status', 'statuses']],
  [['process', 'processes']],
])('%j are one word', (words) => {
  expect(new Set(words.map(stemWord)).size).toBe(1)
})

test('words that are not the same stay apart', () => {
  const words = ['pass', 'pages', 'user', 'issue', 'merge', 'channel', 'table', 'key', 'use', 'bus', 'date', 'data']
  expect(new Set(words.map(stemWord)).size).toBe(words.length)
})

test('words that say something are not taken for noise', () => {
  for (const word of ['get', 'list', 'make', 'use', 'find', 'send', 'not', 'up'])
    expect(STOP_WORDS.has(word)).toBe(false)
  for (const word of ['the', 'please', 'i']) expect(STOP_WORDS.has(word)).toBe(true)
})

test('a token is four ASCII characters, and one of any other', () => {
  expect(estimateTokens('abcdefgh')).toBe(2)
  expect(estimateTokens('grün')).toBe(1.75)
})

test('any text can be split, and any word has one form', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      for (const word of splitWords(text)) expect(stemWord(word)).toBe(stemWord(word.toLowerCase()))
    }),
    { seed: 9, numRuns: 300 },
  )
})
