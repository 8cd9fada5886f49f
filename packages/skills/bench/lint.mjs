// Lint of 1,000 skills, in this process. Run it after a build: node packages/skills/bench/lint.mjs
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodePorts } from '@ext/kernel/node'
import { lintSkills } from '../dist/lint/index.js'

const root = mkdtempSync(join(tmpdir(), 'ext-skills-lint-'))
for (let index = 0; index < 1000; index++) {
  const folder = join(root, `skill-${index}`)
  mkdirSync(folder)
  const header = `name: skill-${index}\ndescription: Does the thing number ${index}.\nallowed-tools: Read, Bash(git *)\nversion: 1.0.0`
  writeFileSync(join(folder, 'SKILL.md'), `---\n${header}\n---\n${'A line of the body of a skill.\n'.repeat(130)}`)
}
for (const profile of ['lenient', 'portable', 'claude-code']) {
  const start = performance.now()
  const { found, diagnostics } = await lintSkills({ paths: [root], ports: nodePorts(), profile })
  const ms = (performance.now() - start).toFixed(0)
  process.stdout.write(`${profile}: ${found} skills, ${diagnostics.length} diagnostics, ${ms} ms\n`)
}
rmSync(root, { recursive: true })
