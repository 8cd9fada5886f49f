import { expect, test } from 'vitest'
import { toResult } from '../../src/results/read.js'

const IMAGE = 'iVBORw0KGgo'.repeat(20)

test('an image that is sent again as text and in the structured result is there once', () => {
  const result = toResult('s', {
    content: [
      { type: 'image', data: IMAGE, mimeType: 'image/png' },
      { type: 'text', text: JSON.stringify({ image: `data:image/png;base64,${IMAGE}`, width: 3 }) },
    ],
    structuredContent: { image: IMAGE, width: 3, list: ['kept'] },
  })
  expect(JSON.stringify(result).split(IMAGE)).toHaveLength(2)
  expect(result.structured).toEqual({ image: '[data that is in the content]', width: 3, list: ['kept'] })
  expect(result.content[1]).toEqual({
    type: 'text',
    text: '{"image":"data:image/png;base64,[data that is in the content]","width":3}',
  })
})

test('the same image twice is there once', () => {
  const image = { type: 'image', data: IMAGE, mimeType: 'image/png' }
  expect(toResult('s', { content: [image, image] }).content).toEqual([
    image,
    { type: 'text', text: '[the same data as in a block above]' },
  ])
})

test('a result that is only structured is shown to the model as JSON', () => {
  expect(toResult('s', { structuredContent: { sum: 3 } }).content).toEqual([{ type: 'text', text: '{"sum":3}' }])
})

test('an error without a word says at least that it is one', () => {
  expect(toResult('s', { isError: true, content: [] })).toEqual({
    isError: true,
    content: [{ type: 'text', text: 'The tool failed and said nothing about it.' }],
    meta: { server: 's', phase: 'call', kind: 'remote', hint: 'The tool itself says what went wrong.' },
  })
})

test('parts of kinds that nobody knows, or that lack what they need, become a word about them', () => {
  const { content } = toResult('s', {
    content: [{ type: 'video', data: 'AAAA' }, { type: 'resource', resource: { uri: 'a:b', text: 7 } }, null],
  })
  expect(content).toEqual([
    { type: 'text', text: '[left out: content of type "video" with the fields data]' },
    { type: 'text', text: '[left out: content of type "resource" with the fields resource]' },
    { type: 'text', text: '[left out: null instead of content]' },
  ])
})
