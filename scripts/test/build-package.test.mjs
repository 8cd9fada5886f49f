import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { typescriptBin } from '../typescript.mjs'

const repository = fileURLToPath(new URL('../..', import.meta.url))
let folder
const action = (type, field) => ({
  type: 'object',
  properties: { type: { const: type }, [field]: { $ref: 'text.schema.json' } },
  required: ['type', field],
  additionalProperties: false,
})

const files = {
  'package.json': {
    name: '@ext/sample',
    type: 'module',
    exports: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './node': { types: './dist/node/index.d.ts', default: './dist/node/index.js' },
      './package.json': './package.json',
    },
  },
  'tsconfig.build.json': {
    extends: join(repository, 'tsconfig.base.json'),
    compilerOptions: { rootDir: 'src', outDir: 'dist', emitDeclarationOnly: true, types: ['node'] },
    include: ['src'],
  },
  'tsconfig.json': {
    extends: join(repository, 'tsconfig.base.json'),
    compilerOptions: { noEmit: true, skipLibCheck: false, types: ['node'] },
    include: ['src', 'use.ts'],
  },
  'schema/text.schema.json': {
    $id: 'https://ext.dev/schema/text.schema.json',
    type: 'string',
    minLength: 2,
    maxLength: 2,
  },
  'schema/lifecycle-hook.schema.json': {
    $id: 'https://ext.dev/schema/hook.schema.json',
    type: 'object',
    properties: {
      event: { enum: ['Stop', 'PreToolUse'] },
      names: { type: 'array', items: { type: 'object' }, uniqueItems: true },
      action: {
        type: 'object',
        discriminator: { propertyName: 'type' },
        required: ['type'],
        oneOf: [action('command', 'run'), action('prompt', 'text')],
      },
    },
    required: ['event'],
    additionalProperties: false,
  },
  'src/index.ts': `export { validateLifecycleHook, validateText } from './config/validators.generated.js'\n`,
  'src/node/index.ts': `export { sep } from 'node:path'\n`,
  'use.ts': `
import type { SchemaIssue } from '@ext/kernel'
import { validateLifecycleHook } from './dist/index.js'
export const issues: readonly SchemaIssue[] = validateLifecycleHook({}) ? [] : (validateLifecycleHook.errors ?? [])
// @ts-expect-error errors are not any
export const wrong: number = validateLifecycleHook.errors
`,
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ext-build-'))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content))
  }
  link('packages/kernel', '@ext/kernel')
  link('node_modules/@types/node', '@types/node')
  const { status, stdout, stderr } = node(join(repository, 'scripts/build-package.mjs'))
  expect(status, stdout + stderr).toBe(0)
})
afterAll(() => rmSync(folder, { recursive: true }))

const node = (...args) => spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
const link = (target, name) => {
  mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true })
  symlinkSync(join(repository, target), join(folder, 'node_modules', name), 'junction')
}
const load = () => import(pathToFileURL(join(folder, 'dist/index.js')).href)

test('every schema becomes a validator that works where ajv is not installed', async () => {
  const { validateLifecycleHook, validateText } = await load()
  const valid = { event: 'Stop', names: [{ a: 1 }, { a: 2 }], action: { type: 'prompt', text: '👩🏽' } }
  expect(validateLifecycleHook(valid), JSON.stringify(validateLifecycleHook.errors)).toBe(true)
  expect(validateText('abc')).toBe(false)
})

test('a validator names each fault by keyword, place and details, and with a discriminator only those of its branch', async () => {
  const { validateLifecycleHook } = await load()
  const issues = (value) => {
    expect(validateLifecycleHook(value)).toBe(false)
    return validateLifecycleHook.errors.map(({ keyword, instancePath, params }) => ({ keyword, instancePath, params }))
  }
  expect(issues({ evnt: 'Stop' })).toEqual([
    { keyword: 'required', instancePath: '', params: { missingProperty: 'event' } },
    { keyword: 'additionalProperties', instancePath: '', params: { additionalProperty: 'evnt' } },
  ])
  expect(issues({ event: 'Stp' })).toEqual([
    { keyword: 'enum', instancePath: '/event', params: { allowedValues: ['Stop', 'PreToolUse'] } },
  ])
  expect(issues({ event: 'Stop', action: { type: 'command', text: 'ab' } })).toEqual([
    { keyword: 'required', instancePath: '/action', params: { missingProperty: 'run' } },
    { keyword: 'additionalProperties', instancePath: '/action', params: { additionalProperty: 'text' } },
  ])
  expect(issues({ event: 'Stop', action: { type: 'comand' } })).toEqual([
    {
      keyword: 'discriminator',
      instancePath: '/action',
      params: { error: 'mapping', tag: 'type', tagValue: 'comand' },
    },
  ])
  expect(issues({ event: 'Stop', names: [{ a: 1 }, { a: 1 }] })).toMatchObject([{ keyword: 'uniqueItems' }])
})

test('the declarations of a package type-check under the strict flags, and `errors` is typed', () => {
  const { status, stdout } = node(typescriptBin, '-p', folder)
  expect(status, stdout).toBe(0)
})

test('builtin modules keep their node: prefix', () => {
  expect(readFileSync(join(folder, 'dist/node/index.js'), 'utf8')).toContain('from "node:path"')
})
