import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hideSecrets } from '../src/render/hide-secrets.js'

describe('a line that is shown of a file', () => {
  it.each([
    ['"Authorization": "Bearer sk-ant-api03-abcdefghijklmnopqrstuvwxyz"', '"Authorization": "***"'],
    ['"env": {"DB_PASSWORD": "hunter2", "X": "y"}', '"env": {"DB_PASSWORD": "***", "X": "y"}'],
    ['"A_TOKEN": "one1one1", "B_TOKEN": "two2two2"', '"A_TOKEN": "***", "B_TOKEN": "***"'],
    ['API_KEY: abc123def456', 'API_KEY: ***'],
    ['"allow": ["Bash(ls:*)"]', '"allow": ["Bash(ls:*)"]'],
  ])('holds no secret: %s', (line, expected) => {
    const hidden = hideSecrets(line)
    expect(hidden.replace(/\*{3,}/g, '***')).toBe(expected)
    expect(hidden).toHaveLength(line.length)
  })

  it.each(['"Authorization": "Bearer ${TOKEN}"', '"GITHUB_TOKEN": "${PAT:-none}"', '"X_TOKEN": "$TOKEN"'])(
    'holds the name of a variable as it is: %s',
    (line) => expect(hideSecrets(line)).toBe(line),
  )

  it('keeps its columns, whatever it is', () => {
    const part = fc.oneof(
      fc.string(),
      fc.constantFrom('"API_KEY": "', 'token=', 'Bearer ', '[redacted]', 'sk-ant-api03-aaaaaaaaaaaaaaaaaaaa', '"', ' '),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const line = parts.join('')
        expect(hideSecrets(line)).toHaveLength(line.length)
      }),
    )
  })
})
