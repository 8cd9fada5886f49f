import { expect, test } from 'vitest'
import * as shell from '../../src/shell/index.js'

test('the public names of the shell analysis', () => {
  expect(Object.keys(shell).sort()).toEqual(['DYNAMIC', 'analyzeShell', 'builtInPrograms', 'mergePrograms'])
})
