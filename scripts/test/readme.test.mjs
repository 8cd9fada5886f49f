// Every `ts` fence of a README is a module that works: it type-checks under our strict flags, runs by itself in an empty
// folder, and prints exactly what the `text` fence behind it shows.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'esbuild'
import { beforeAll, describe, expect, test } from 'vitest'
import { typescriptBin } from '../typescript.mjs'
import { collectFences } from './collect-fences.mjs'

const LIMIT_MS = 30_000
const root = fileURLToPath(new URL('../..', import.meta.url))
// In the folder of the product, from where every package of the workspace resolves.
const workshop = join(root, 'apps/cli/.readme-examples')
const packages = ['packages', 'apps'].flatMap((parent) =>
  readdirSync(join(root, parent)).map((name) => `${parent}/${name}`),
)
const readmes = ['README.md', ...packages.map((folder) => `${folder}/README.md`)]
const examples = readmes
  .filter((file) => existsSync(join(root, file)))
  .flatMap((file) => collectFences(readFileSync(join(root, file), 'utf8')).map((fence) => ({ file, ...fence })))
  .map((example) => ({ ...example, module: `${example.file.replaceAll(/[/.]/g, '-')}-${example.line}.ts` }))

// Code that would look checked, but isn't.
const ESCAPES = /^(?:[ \t]+`{3,}ts|`{3,}(?:js|jsx|mjs|javascript|tsx|typescript)\b)/m

test.each(readmes)('%s exists, has an example unless it is that of a product, and no code that is not run', (file) => {
  expect(existsSync(join(root, file)), 'There is no such file.').toBe(true)
  expect(readFileSync(join(root, file), 'utf8')).not.toMatch(ESCAPES)
  const own = examples.filter((example) => example.file === file)
  if (!file.startsWith('apps/')) expect(own.length, 'There is no ts fence.').toBeGreaterThan(0)
})

describe.concurrent('the example at', () => {
  let typeErrors = []

  beforeAll(() => {
    rmSync(workshop, { recursive: true, force: true })
    mkdirSync(workshop)
    for (const { module, code } of examples) {
      const { code: script } = transformSync(code, { loader: 'ts', sourcefile: module, sourcemap: 'inline' })
      writeFileSync(join(workshop, module), code)
      writeFileSync(join(workshop, module.replace(/ts$/, 'mjs')), script)
    }
    const compilerOptions = { noEmit: true, types: ['node'], isolatedDeclarations: false, declaration: false }
    writeFileSync(
      join(workshop, 'tsconfig.json'),
      JSON.stringify({ extends: '../../../tsconfig.base.json', compilerOptions, include: ['*.ts'] }),
    )
    const { stdout } = spawnSync(process.execPath, [typescriptBin, '--pretty', 'false', '-p', workshop], {
      cwd: workshop,
      encoding: 'utf8',
    })
    // Lines that go on with an error are indented.
    typeErrors = stdout.split(/\n(?! )/).filter((message) => message !== '')
    expect(typeErrors.filter((message) => !examples.some((example) => isAbout(example, message)))).toEqual([])
  })

  for (const example of examples) {
    test(`${example.file}:${example.line}`, { timeout: LIMIT_MS + 10_000 }, async () => {
      expect(typeErrors.filter((message) => isAbout(example, message))).toEqual([])
      const { outcome, stdout, stderr } = await run(example.module.replace(/ts$/, 'mjs'))
      expect(outcome, stderr || 'Nothing on standard error.').toBe('exit code 0')
      if (example.output !== undefined) expect(stdout).toBe(example.output)
    })
  }
})

function isAbout({ module }, message) {
  return message.startsWith(`${module}(`)
}

async function run(module) {
  const cwd = mkdtempSync(join(tmpdir(), 'ext-readme-'))
  try {
    return await new Promise((resolve) => {
      const child = spawn(process.execPath, ['--enable-source-maps', join(workshop, module)], {
        cwd,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, HOME: cwd, USERPROFILE: cwd },
        timeout: LIMIT_MS,
      })
      let stdout = ''
      let stderr = ''
      child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text))
      child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text))
      child.on('close', (code) => {
        resolve({ outcome: code === null ? `killed after ${LIMIT_MS} ms` : `exit code ${code}`, stdout, stderr })
      })
    })
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
}
