// Every `sh` fence of a README is run as a script, at a terminal, in a folder that looks like a clone of the repository,
// with the built `ext` and a home folder that holds a project.
import { spawn } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { modelServer } from '../../apps/cli/test/models/server.ts'
import { collectFences } from './collect-fences.mjs'

const LIMIT_MS = 60_000
const root = fileURLToPath(new URL('../..', import.meta.url))
const packages = ['packages', 'apps'].flatMap((parent) =>
  readdirSync(join(root, parent)).map((name) => `${parent}/${name}`),
)
const readmes = ['README.md', ...packages.map((folder) => `${folder}/README.md`)]
const textOf = (file) => readFileSync(join(root, file), 'utf8')
const fences = readmes.flatMap((file) => collectFences(textOf(file), 'sh').map((fence) => ({ file, ...fence })))

// Commands that would look as if they were run.
const ESCAPES = /^[ \t]*`{3,}(?:bash|shell|console|zsh|powershell)\b|^[ \t]+`{3,}sh\b/m

/** What a person answers. */
const ANSWERS = [
  { after: /Approve (?:this|these \d+)\?/, keys: 'y' },
  // The line below the prompt of a conversation, once there is a model.
  { after: /anthropic\/claude-sonnet-4-5 · /, keys: '/exit\r' },
]

test.each(readmes)('%s has no commands that are not run', (file) => {
  expect(textOf(file)).not.toMatch(ESCAPES)
})

test('a newcomer’s path is there, with all that it takes', () => {
  const commands = fences.filter(({ file }) => file === 'README.md').map(({ code }) => code)
  for (const command of [
    'npm run demo',
    'npx ext doctor',
    'ext init',
    'ext trust approve',
    'ext run --model',
    'ext --model',
  ]) {
    expect(
      commands.some((code) => code.includes(command)),
      command,
    ).toBe(true)
  }
})

test.each(fences)('the commands at $file:$line do what they say', { timeout: LIMIT_MS + 10_000 }, async ({ code }) => {
  const { url, requests } = await modelServer('anthropic', { turns: [{ say: 'It folds paper boats.', loop: true }] })
  const { outcome, screen } = await run(code, { ANTHROPIC_BASE_URL: url.replace('/v1', '') })
  expect(outcome, screen).toBe('exit code 0')
  expect(screen).not.toMatch(/usage:|unknown (?:command|option)|\n\s+at \S+ \(/i)
  if (/^ext run/m.test(code)) {
    expect(screen).toContain('It folds paper boats.')
    expect(requests[0]?.headers['x-api-key']).toBe('your-key')
  }
  if (/^ext trust approve/m.test(code)) expect(screen).toMatch(/approved +hooks +guard\.sh/)
})

async function run(code, env) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ext-commands-')))
  try {
    const bin = join(root, 'apps/cli/bin/ext.js')
    const clone = {
      'package.json': JSON.stringify({ name: 'ext-monorepo', private: true }),
      'node_modules/.bin/ext': `#!/bin/sh\nexec node '${bin}' "$@"\n`,
    }
    const project = {
      '.claude/settings.json': JSON.stringify({
        hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: '.claude/hooks/guard.sh' }] }] },
      }),
      '.claude/hooks/guard.sh': '#!/bin/sh\nexit 0\n',
      '.claude/skills/fold/SKILL.md': '---\ndescription: How boats are folded.\n---\nFold twice.\n',
    }
    write(join(folder, 'ext'), clone)
    write(join(folder, 'home/my-project'), project)
    // As after a global install; npm is one that only looks.
    const standIn = join(root, 'scripts/test/npm-stand-in.mjs')
    write(join(folder, 'bin'), { ext: clone['node_modules/.bin/ext'], npm: `#!/bin/sh\nexec node '${standIn}' "$@"\n` })
    write(folder, { 'commands.sh': code })
    return await atTerminal(`sh -eu '${join(folder, 'commands.sh')}'`, join(folder, 'ext'), {
      PATH: `${join(folder, 'bin')}:${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: join(folder, 'home'),
      TERM: 'xterm',
      SHELL: '/bin/sh',
      npm_config_update_notifier: 'false',
      npm_config_cache: process.env.npm_config_cache ?? join(folder, 'npm'),
      ...env,
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function write(folder, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
    if (text.startsWith('#!')) chmodSync(join(folder, path), 0o755)
  }
}

function atTerminal(command, cwd, env) {
  return new Promise((resolve, reject) => {
    const child = spawn('script', ['-qefc', `stty cols 200 rows 50; exec ${command}`, '/dev/null'], {
      cwd,
      env,
      timeout: LIMIT_MS,
    })
    let screen = ''
    let seen = 0
    child.stdout.setEncoding('utf8').on('data', (text) => {
      screen += text
      const answer = ANSWERS.find(({ after }) => after.test(screen.slice(seen)))
      if (!answer) return
      seen = screen.length
      child.stdin.write(answer.keys)
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ outcome: `exit code ${code}`, screen }))
  })
}
