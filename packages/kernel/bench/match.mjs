// What one test of a path pattern costs, next to the `ignore` package, and one flat header next to the YAML parser:
// `node packages/kernel/bench/match.mjs` after a build. Prints microseconds; always exits with 0.
import { performance } from 'node:perf_hooks'
import { parseFrontmatter } from '@ext/kernel/frontmatter'
import { compilePathPattern } from '@ext/kernel/match'
import ignore from 'ignore'
import { parse } from 'yaml'

const ROUNDS = 5

const print = (line) => process.stdout.write(`${line}\n`)
/** `ignore` keeps every path it has seen, and a model does not ask for the same one again and again. */
let fresh = 0

async function microseconds(times, run) {
  const rounds = []
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now()
    for (let time = 0; time < times; time++) await run()
    rounds.push(((performance.now() - start) * 1000) / times)
  }
  return Math.min(...rounds).toFixed(2)
}

const anchors = { cwd: '/srv/app', home: '/home/me', sourceDir: '/srv', ignoreCase: false }
const folder = 'packages/kernel/src/match/'
print('a path pattern, another path each time; limit 6 µs')
for (const pattern of ['.env', '*.pem', 'src/**', '**/src/*.ts', 'packages/**/src/**/*.ts', '[a-z]*.{ts,js}']) {
  const matcher = compilePathPattern(pattern, anchors)
  const rules = ignore().add([pattern])
  const ours = await microseconds(20_000, () => matcher.test(`/srv/app/${folder}${fresh++}.ts`))
  const theirs = await microseconds(20_000, () => rules.ignores(`${folder}${fresh++}.ts`))
  print(`  ${pattern.padEnd(26)} ${ours.padStart(8)}   ignore ${theirs.padStart(8)}`)
}
const deep = `${'a/'.repeat(200)}x`
const hostile = compilePathPattern('**/a/**/a/**/a/**/a/b', anchors)
print(`  200 folders deep, hostile  ${await microseconds(500, () => hostile.test(`/srv/app/${deep}`))}`)

const header = 'name: release\ndescription: Use this when a version is to be published, with its notes.\nlicense: MIT\n'
const source = { layer: 'project', dialect: 'skills', file: '/SKILL.md' }
print('a header of three lines')
print(`  parseFrontmatter           ${await microseconds(2000, () => parseFrontmatter(`---\n${header}---\n`, source))}`)
print(`  parse of yaml              ${await microseconds(2000, () => parse(header))}`)
