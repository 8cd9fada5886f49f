import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { checkTree, readTree } from '../check-imports.mjs'
import { checkModules } from '../imports/check-modules.mjs'
import { table } from '../imports/table.mjs'

/** A small repository that keeps every rule; each test breaks one of them. */
const sound = {
  'packages/kernel/package.json': manifest(['.', './node', './ajv', './testing'], { yaml: '2.9.1', ajv: '8.20.0' }),
  'packages/kernel/src/index.ts': `
import { parse } from 'yaml'
import { report } from './report.js'
export const read = (text: string, { process }: Ports) => process.run(report('kernel.bad', parse(text)))
`,
  'packages/kernel/src/codes.ts': `export const diagnosticCodes = { 'kernel.bad': 'It is bad.', 'kernel.worse': 'Worse.' } as const`,
  'packages/kernel/src/report.ts': 'export const report = (code: string, x: unknown) => [code, `kernel.${x}`]',
  'packages/kernel/src/frontmatter/fences.ts': `export const isFence = (line: string) => line === '---'`,
  'packages/kernel/src/node/index.ts': `import { readFile } from 'node:fs/promises'\nexport const ports = { readFile, env: process.env }`,
  'packages/kernel/src/ajv/index.ts': `export const load = () => import('ajv/dist/2020.js')`,
  'packages/kernel/src/testing/index.ts': `export const clock = 1`,
  'packages/permission/package.json': manifest(['.', './rule'], { '@ext/kernel': '1' }),
  'packages/permission/src/index.ts': `export { parseRule } from './rule/index.js'`,
  'packages/permission/src/rule/index.ts': `export { read as parseRule } from '@ext/kernel'`,
  'packages/hooks/package.json': manifest(['.'], { '@ext/kernel': '1', '@ext/permission': '1' }),
  'packages/hooks/src/index.ts': `import type { Rule } from '@ext/permission/rule'\nexport { read } from '@ext/kernel'\nexport type R = Rule`,
  'packages/hooks/test/index.test.ts': `import { read } from '../src/index.js'\nread`,
  'apps/cli/package.json': manifest([], { '@ext/hooks': '1', commander: '14' }),
  'apps/cli/src/main.ts': `import { Command } from 'commander'\nimport '@ext/hooks'\nconsole.log(new Command(), process.argv, '-')`,
}

/** The real table, of the packages that the tree has. */
const presentTable = Object.fromEntries(
  ['@ext/kernel', '@ext/permission', '@ext/hooks', '@ext/cli'].map((name) => [name, table[name]]),
)

test('a tree that keeps the rules has no violation, and every module is read', () => {
  const result = check({})
  expect(result.violations).toEqual([])
  expect(Object.fromEntries(result.modules)).toEqual({
    '@ext/kernel': 7,
    '@ext/permission': 2,
    '@ext/hooks': 1,
    '@ext/cli': 1,
  })
  expect(result.imports).toBe(10)
})

const hooks = 'packages/hooks/src/index.ts'
const kernel = 'packages/kernel/src/index.ts'

test.each([
  [
    'a sibling that the table forbids',
    hooks,
    `import '@ext/skills'`,
    1,
    /Imports @ext\/skills; @ext\/hooks may import/,
  ],
  ['the root of a package of which only a part is allowed', hooks, `\nimport '@ext/permission'`, 2, /may import/],
  ['a type of a forbidden sibling', kernel, `import type { X } from '@ext/hooks'`, 1, /may import no sibling/],
  ['a type in the form import()', kernel, `export type X = import('@ext/hooks').X`, 1, /may import no sibling/],
  ['a re-export', kernel, `export * from '@ext/hooks'`, 1, /may import no sibling/],
  ['a dynamic import', kernel, `export const x = () => import('@ext/hooks')`, 1, /may import no sibling/],
  ['require', kernel, `export const x = require('@ext/hooks')`, 1, /may import no sibling/],
  ['import = require', kernel, `import x = require('@ext/hooks')`, 1, /may import no sibling/],
  ['the package itself by its name', kernel, `import '@ext/kernel'`, 1, /may import no sibling/],
  ['the dist of a sibling', hooks, `import '@ext/kernel/dist/index.js'`, 1, /does not export/],
  ['a sibling through a relative path', hooks, `import '../../kernel/src/index.js'`, 1, /leaves the package/],
  [
    'a module that does not exist',
    hooks,
    `import './nowhere.js'`,
    1,
    /there is no module packages\/hooks\/src\/nowhere/,
  ],
  ['a computed specifier', hooks, `export const x = (name: string) => import(name)`, 1, /is computed/],
  ['a third-party package that the table forbids', hooks, `import 'lodash'`, 1, /the table does not allow/],
  ['a package outside its folder', kernel, `import type { A } from 'ajv'`, 1, /outside packages\/kernel\/src\/ajv/],
  ['a package that is not declared', kernel, `import 'picomatch'`, 1, /package.json does not declare/],
  [
    'node: outside a node/ folder',
    hooks,
    `import { join } from 'node:path'`,
    1,
    /Imports node:path outside a node\/ folder/,
  ],
  ['a builtin without its prefix', hooks, `import { join } from 'path'`, 1, /Imports path outside a node\/ folder/],
  ['node/ from the neutral root', kernel, `export { ports } from './node/index.js'`, 1, /from outside node\//],
  ['ajv/ from the neutral root', kernel, `export const x = () => import('./ajv/index.js')`, 1, /from outside ajv\//],
  ['testing/ from the neutral root', kernel, `import './testing/index.js'`, 1, /from outside testing\//],
  ['the node entry of a sibling', hooks, `import '@ext/kernel/node'`, 1, /outside a node\/ folder/],
  ['the testing entry of a sibling', hooks, `import '@ext/kernel/testing'`, 1, /outside a testing\/ folder/],
  ['console', hooks, `console.log(1)`, 1, /Uses the global console/],
  ['process', hooks, `export const x = { process }`, 1, /Uses the global process/],
  ['globalThis.process', hooks, `export const x = globalThis.process`, 1, /Uses the global process/],
  ['a second splitter of file headers', hooks, `export const x = (s: string) => s.split('\\n---\\n')`, 1, /fence/],
  ['a pattern for the fence', hooks, `export const x = /^---$/m`, 1, /fence/],
  ['an overlong file', hooks, '//\n'.repeat(600), 601, /lines; 600 is the limit/],
  ['what is no TypeScript', hooks, `export const = 1`, 1, /Cannot be parsed/],
])('%s is caught', (_, file, text, line, reason) => {
  // In front, so that its line is known; what the file held stays, so that nothing else becomes unused.
  const { violations } = check({ [file]: `${text}\n${sound[file]}` })
  expect(violations).toContainEqual({ file, line, reason: expect.stringMatching(reason) })
})

test.each([
  ['a dependency that the table forbids', 'packages/hooks', { lodash: '4' }, 4, /Depends on lodash, which the table/],
  ['a sibling that the table forbids', 'packages/hooks', { '@ext/skills': '1' }, 4, /Depends on @ext\/skills, which/],
  ['a dependency that nothing imports', 'packages/kernel', { re2js: '2' }, 4, /re2js, but no module under src imports/],
])('in package.json, %s is caught', (_, folder, extra, line, reason) => {
  const file = `${folder}/package.json`
  const { violations } = check({
    [file]: manifest(['.', './node', './ajv', './testing'], { ...extra, ...JSON.parse(sound[file]).dependencies }),
  })
  expect(violations).toContainEqual({ file, line, reason: expect.stringMatching(reason) })
})

test('a code that nothing reports is caught; a mention in the registry or in a type is no report', () => {
  const file = 'packages/hooks/src/codes.ts'
  const { violations } = check({
    [file]: `export const diagnosticCodes = {\n  'hooks.unused': 'See hooks.unused.',\n} as const`,
    [hooks]: `${sound[hooks]}\nexport type Code = 'hooks.unused'`,
  })
  expect(violations).toEqual([{ file, line: 2, reason: expect.stringContaining(`'hooks.unused'`) }])
})

test('a test that reaches into another package is caught', () => {
  const file = 'packages/hooks/test/index.test.ts'
  const { violations } = check({ [file]: `import '../../kernel/src/index.js'\nimport '@ext/kernel/src/index.js'` })
  expect(violations.map(({ line, reason }) => `${line}: ${reason}`)).toEqual([
    '1: Imports ../../kernel/src/index.js, which leaves the package.',
    '2: Imports @ext/kernel/src/index.js, which @ext/kernel does not export.',
  ])
})

test('an entry in node/ under another name is caught', () => {
  const file = 'packages/kernel/package.json'
  const { violations } = check({ [file]: sound[file].replace('"./node": ', '"./files": ') })
  expect(violations).toContainEqual({ file, line: 11, reason: 'The entry ./files lies in node/; name it ./node.' })
})

test('a package without modules, a package that the table lacks and a stray file are caught', () => {
  const { violations } = check({
    'packages/extra/package.json': '{}',
    'packages/permission/src/index.ts': undefined,
    'packages/permission/src/rule/index.ts': undefined,
    'packages/hooks/src/helper.js': 'export {}',
    [hooks]: undefined,
  })
  const reasons = violations.map(({ file, reason }) => `${file}: ${reason}`)
  expect(reasons).toContain('packages/permission/package.json: The package has no module under src.')
  expect(reasons).toContain('packages/hooks/src/helper.js: Only TypeScript modules (.ts) belong under src.')
  expect(reasons).toContain(
    'packages/extra/package.json: This package is not in scripts/imports/table.mjs. Add it there.',
  )
})

test('data belongs under src when a module reads it', () => {
  const reader = `import table from './table.json' with { type: 'json' }\nexport const rows = table`
  const read = { 'packages/hooks/src/table.json': '{}', 'packages/hooks/src/table.ts': reader }
  expect(check(read).violations).toEqual([])
  const { violations } = check({ 'packages/hooks/src/table.json': '{}' })
  expect(violations.map(({ reason }) => reason)).toEqual(['Only TypeScript modules (.ts) belong under src.'])
})

test('a module on disk that the reader does not see is a problem', () => {
  const root = plant({ 'packages/hooks/src/fixtures/unseen.ts': 'export {}' })
  expect(checkTree(root, presentTable).problems).toContain('packages/hooks/src: read 1 modules, but 2 are on disk.')
})

test('a reader that finds almost no imports is a problem', () => {
  const many = Array.from({ length: 9 }, (_, index) => [`packages/hooks/src/m${index}.ts`, 'export const x = 1'])
  const { problems, summary } = checkTree(plant(Object.fromEntries(many)), presentTable)
  expect(problems).toEqual([`Found only 10 imports in 20 modules, which can't be: the reader is broken.`])
  expect(summary).toBe('Read 20 modules with 10 imports in 4 packages. Problems: 1.')
})

const folders = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

const check = (changes) => checkModules(readTree(plant(changes)), presentTable)

/** Writes the sound tree with `changes`, of which undefined removes a file, and returns its root. */
function plant(changes) {
  const root = mkdtempSync(join(tmpdir(), 'ext-imports-'))
  folders.push(root)
  for (const [path, text] of Object.entries({ ...sound, ...changes })) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    if (text !== undefined) writeFileSync(join(root, path), text)
  }
  return root
}

/** The first dependency stands in line 4. */
function manifest(subpaths, dependencies) {
  const exported = subpaths.map((subpath) => [
    subpath,
    { default: `./dist/${subpath.slice(2)}/index.js`.replace('//', '/') },
  ])
  const lines = JSON.stringify({ dependencies, exports: Object.fromEntries(exported) }, null, 1).split('\n')
  return `{\n\n${lines.slice(1).join('\n')}`
}
