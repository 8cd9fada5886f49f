import { describe, expect, it } from 'vitest'
import { createReporter, type Diagnostic, hasErrors, type Severity, sortDiagnostics } from '../src/index.js'

const report = createReporter({ 'toys.size': 'The size is wrong.' } as const)

describe('a reporter', () => {
  it('makes diagnostics that nobody changes later', () => {
    const made = report.error('toys.size', { layer: 'user' }, 'Too big.', { hint: 'Shrink it.', entry: 'a' })
    expect(made).toEqual({
      code: 'toys.size',
      severity: 'error',
      message: 'Too big.',
      hint: 'Shrink it.',
      entry: 'a',
      source: { layer: 'user' },
    })
    expect(Object.isFrozen(made)).toBe(true)
    expect([report.warning, report.info].map((make) => make('toys.size', { layer: 'user' }, 'x').severity)).toEqual([
      'warning',
      'info',
    ])
  })
})

describe('sortDiagnostics', () => {
  const at = (severity: Severity, file?: string, line?: number, column?: number): Diagnostic => ({
    code: 'x',
    severity,
    message: '',
    source: { layer: 'user', ...(file && { file }), ...(line && { line }), ...(column && { column }) },
  })

  it('puts errors first, then goes by file, line and column, and changes nothing else', () => {
    const sorted = [
      at('error'),
      at('error', '/a', 1, 2),
      at('error', '/a', 1, 10),
      at('error', '/a', 2, 1),
      at('error', '/b', 1, 1),
      at('warning', '/a', 1, 1),
      at('info', '/a'),
    ]
    const given = sorted.toReversed()
    expect(sortDiagnostics(given)).toEqual(sorted)
    expect(given).toEqual(sorted.toReversed())
    const same = [
      { ...at('error', '/a', 1, 1), code: 'first' },
      { ...at('error', '/a', 1, 1), code: 'second' },
    ]
    expect(sortDiagnostics(same)).toEqual(same)
  })

  it('goes with hasErrors', () => {
    expect(hasErrors([at('warning'), at('info')])).toBe(false)
    expect(hasErrors([at('warning'), at('error')])).toBe(true)
  })
})
