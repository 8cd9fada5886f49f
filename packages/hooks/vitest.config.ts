import { defineProject } from 'vitest/config'

export default defineProject({
  test: {
    name: 'hooks',
    include: ['test/**/*.test.ts'],
    // Projects do not inherit the limits of the root; children and servers are slow on a busy machine.
    testTimeout: 20_000,
    hookTimeout: 60_000,
    typecheck: { enabled: true, include: ['test/**/*.test-d.ts'], checker: 'tsc' },
  },
})
