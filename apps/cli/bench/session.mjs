// The interactive session at a pseudo-terminal: how soon it is drawn, how soon an interruption is seen, what it takes of
// memory; next to the start of a bare Node in the same run. After a build: node apps/cli/bench/session.mjs [samples]
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { spawn } from '@lydell/node-pty'

const BIN = fileURLToPath(new URL('../bin/ext.js', import.meta.url))
const samples = Number(process.argv[2] ?? 9)
const home = mkdtempSync(join(tmpdir(), 'ext-bench-'))
const project = join(home, 'project')
mkdirSync(join(project, '.ext'), { recursive: true })
writeFileSync(join(project, '.ext/config.yaml'), 'model: scripted:.ext/script.yaml\n')
writeFileSync(
  join(project, '.ext/script.yaml'),
  'turns: [{ calls: [{ tool: Bash, input: { command: sleep 60 } }] }, { say: Done, loop: true }]\n',
)

const rows = { bare: [], drawn: [], loaded: [], interrupted: [], 'MB drawn': [], 'MB loaded': [] }
for (let sample = 0; sample < samples; sample++) {
  const from = performance.now()
  execFileSync(process.execPath, ['-e', '0'])
  rows.bare.push(performance.now() - from)
  await once()
}
for (const [name, values] of Object.entries(rows)) {
  values.sort((a, b) => a - b)
  const unit = name.startsWith('MB') ? 'MB' : 'ms'
  process.stdout.write(
    `${name.padEnd(12)} median ${values[values.length >> 1].toFixed(0)} ${unit}, least ${values[0].toFixed(0)}, most ${values.at(-1).toFixed(0)}\n`,
  )
}
rmSync(home, { recursive: true })

function residentOf(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024
}

async function once() {
  const from = performance.now()
  const child = spawn(process.execPath, [BIN, '--trust-project', '--allow', 'Bash', '--no-save'], {
    cols: 80,
    rows: 30,
    cwd: project,
    env: { PATH: process.env.PATH, HOME: home, TERM: 'xterm-256color', SHELL: '/bin/sh' },
  })
  let shown = ''
  let look = () => {}
  child.onData((data) => {
    shown += data
    look()
  })
  const until = (pattern) =>
    new Promise((resolve) => {
      look = () => pattern.test(shown) && resolve(performance.now())
      look()
    })
  rows.drawn.push((await until(/> /)) - from)
  rows['MB drawn'].push(residentOf(child.pid))
  rows.loaded.push((await until(/scripted:/)) - from)
  rows['MB loaded'].push(residentOf(child.pid))
  child.write('wait\r')
  await until(/Bash sleep/)
  shown = ''
  const pressed = performance.now()
  child.write('\u001b')
  rows.interrupted.push((await until(/interrupted/)) - pressed)
  const ended = new Promise((resolve) => child.onExit(resolve))
  child.write('\u0004')
  await ended
}
