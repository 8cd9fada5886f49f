import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: ['packages/*', 'apps/*', 'scripts'],
    reporters: ['default', 'json'],
    outputFile: { json: '.reports/vitest.json' },
    // Most files wait for children and servers, so a second worker halves the time also on two cores.
    maxWorkers: 2,
  },
})
