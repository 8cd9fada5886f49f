import { expect, test } from 'vitest'
import { resultLine } from '../result-line.mjs'

const file = (status, ...tests) => ({ status, assertionResults: tests.map((each) => ({ status: each })) })

test('a good run counts its tests, and names skipped ones only if there are any', () => {
  expect(resultLine({ numPassedTests: 7, testResults: [file('passed', 'passed')] }, [])).toBe('7 passed, 0 failed')
  expect(resultLine({ numPassedTests: 7, numPendingTests: 1, numTodoTests: 2 }, [])).toBe(
    '7 passed, 0 failed, 3 skipped',
  )
})

test('failed tests are counted once, not again as a failed step', () => {
  const report = { numPassedTests: 7, numFailedTests: 2, testResults: [file('failed', 'failed', 'failed', 'passed')] }
  expect(resultLine(report, ['tests'])).toBe('7 passed, 2 failed')
})

test('a test file that could not be loaded counts as one failure', () => {
  expect(resultLine({ numPassedTests: 7, testResults: [file('failed'), file('passed')] }, ['tests'])).toBe(
    '7 passed, 1 failed',
  )
})

test('a run that failed never says that nothing failed', () => {
  expect(resultLine(undefined, ['build'])).toBe('0 passed, 1 failed')
  expect(resultLine(undefined, ['lint', 'imports'])).toBe('0 passed, 2 failed')
  expect(resultLine({ numPassedTests: 7 }, ['tests'])).toBe('7 passed, 1 failed')
  expect(resultLine({ numPassedTests: 7 }, ['packages'])).toBe('7 passed, 1 failed')
})
