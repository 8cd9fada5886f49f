// Runs the steps of a task in order: `node scripts/run-steps.mjs demo | test | node24`. One line per step; the first
// failure stops the task and shows its command and everything it printed. Steps of one group run at the same time.
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { resultLine } from './result-line.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const turbo = 'node_modules/turbo/bin/turbo'
const vitest = 'node_modules/vitest/vitest.mjs'
// Real children have to be gone by a time; on a machine that others use, one of thousands can be late.
const onceMore = '--retry=1'
const report = (name) => `.reports/${name}.json`

const build = node('build', turbo, 'run', 'build', '--output-logs=errors-only')

const tasks = {
  demo: { groups: [[build]], quiet: true, program: ['apps/cli/bin/ext.js', 'demo'] },
  test: {
    groups: [
      [build],
      [
        node('type check', turbo, 'run', 'typecheck', '--output-logs=errors-only'),
        node('lint', 'node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'),
        { ...node('imports', 'scripts/check-imports.mjs'), saysResult: true },
      ],
      [node('tests', vitest, 'run', onceMore, `--outputFile.json=${report('vitest')}`)],
      // As the README says it.
      [{ name: 'demo', command: ['npm', 'run', 'demo'] }],
      [{ ...node('packages', 'scripts/check-packages.mjs'), saysResult: true }],
    ],
    report: report('vitest'),
  },
  node24: {
    groups: [
      [build],
      [
        {
          name: 'tests',
          command: ['npx', '--yes', 'node@24', vitest, 'run', onceMore, `--outputFile.json=${report('vitest-node24')}`],
        },
      ],
    ],
    report: report('vitest-node24'),
  },
}

function node(name, ...args) {
  return { name, command: [process.execPath, ...args] }
}

/** Settles with what became of the step; never rejects. */
function run({ name, command }) {
  const started = performance.now()
  const output = []
  return new Promise((resolve) => {
    const child = spawn(command[0], command.slice(1), {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Tests behave the same everywhere: no `.only`, no snapshot that is written by the way.
      env: { ...process.env, CI: 'true' },
    })
    const settle = (ok) => resolve({ name, command, ok, output: output.join(''), ms: performance.now() - started })
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8')
      stream.on('data', (text) => output.push(text))
    }
    child.on('error', (error) => {
      output.push(`${error.message}\n`)
      settle(false)
    })
    child.on('close', (code) => settle(code === 0))
  })
}

function say({ name, ok, ms, output }, saysResult) {
  const result = ok && saysResult ? `  ${output.trimEnd().split('\n').at(-1)}` : ''
  console.log(`${ok ? 'ok    ' : 'FAILED'}  ${name.padEnd(12)}${(ms / 1000).toFixed(1).padStart(6)} s${result}`)
}

function sayFailure({ name, command, output }) {
  const line = command.map((part) => (part === process.execPath ? 'node' : part)).join(' ')
  console.log(`\n--- ${name} failed. Its command, from the root of the repository:\n${line}\n--- Its output:`)
  console.log(output.trimEnd())
  console.log()
}

/** Returns the names of the steps that failed: none, or those of the group that stopped the task. */
async function runGroups(groups, quiet) {
  for (const group of groups) {
    const results = await Promise.all(
      group.map(async (step) => {
        const result = await run(step)
        if (!quiet) say(result, step.saysResult)
        return result
      }),
    )
    const failures = results.filter(({ ok }) => !ok)
    failures.forEach(sayFailure)
    if (failures.length > 0) return failures.map(({ name }) => name)
  }
  return []
}

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

async function main(task) {
  if (!task) {
    console.error(`Usage: node scripts/run-steps.mjs ${Object.keys(tasks).join(' | ')}`)
    return 2
  }
  // turbo looks for pnpm on PATH, and only npm's scripts put the pinned one there.
  if (!process.env.npm_config_user_agent?.startsWith('pnpm/')) {
    console.error('Run this as `npm test`, `npm run demo` or `npm run test:node24`, which bring the right pnpm.')
    return 2
  }
  // Left behind by the npx that brought pnpm; an npx or npm inside of a step would take them for its own.
  delete process.env.npm_config_call
  delete process.env.npm_config_package
  process.chdir(root)
  if (task.report) {
    rmSync(task.report, { force: true })
    rmSync('.reports/result.txt', { force: true })
  }
  const failed = await runGroups(task.groups, task.quiet)
  if (task.report) {
    const line = resultLine(readReport(task.report), failed)
    mkdirSync('.reports', { recursive: true })
    writeFileSync('.reports/result.txt', `${line}\n`)
    console.log(line)
  }
  if (failed.length > 0) return 1
  return task.program ? handOver(task.program) : 0
}

/** Runs what the task is for, with the terminal as its own. */
function handOver(args) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' })
    child.on('close', (code) => resolve(code ?? 1))
  })
}

process.exitCode = await main(tasks[process.argv[2]])
