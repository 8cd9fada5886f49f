import { defineProject } from 'vitest/config'

export default defineProject({
  test: {
    name: 'hooks',
    include: ['test/**/*.test.ts'],
    typecheck: { enabled: true, include: ['test/**/*.test-d.ts'], checker: 'tsc' },
  },
})
