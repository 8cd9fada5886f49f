import { expect, test } from 'vitest'
import { collectFences } from './collect-fences.mjs'

test('code keeps its line, and belongs to the text fence right behind it', () => {
  const readme = ['# Title', '```ts', 'a()', '```', '', '```text', 'one', '', 'two', '```']
  expect(collectFences(readme.join('\n'))).toEqual([{ line: 2, code: '\n\na()', output: 'one\n\ntwo\n' }])
})

test('a text fence behind other words is no output, and other languages are left alone', () => {
  const readme = ['```ts', 'a()', '```', 'Words.', '```text', 'x', '```', '```sh', '# ```ts', '```']
  expect(collectFences(readme.join('\n'))).toEqual([{ line: 1, code: '\na()', output: undefined }])
})

test('a fence that is never closed is an error', () => {
  expect(() => collectFences('\n```ts\na()')).toThrow('line 2')
})

test('of another language when asked for it', () => {
  const readme = ['```ts', 'a()', '```', '```sh', 'ls', '```', '```text', 'x', '```']
  expect(collectFences(readme.join('\n'), 'sh')).toEqual([{ line: 4, code: '\n\n\n\nls', output: 'x\n' }])
})
