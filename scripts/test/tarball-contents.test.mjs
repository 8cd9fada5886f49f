import { expect, test } from 'vitest'
import { checkContents } from '../tarball-contents.mjs'

const manifest = {
  files: ['dist', 'bin', '!dist/**/*.d.ts', 'README.md'],
  bin: { ext: './bin/ext.js' },
  exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
}
const good = ['package.json', 'README.md', 'LICENSE', 'bin/ext.js', 'dist/index.js', 'dist/index.d.ts']
const filesOf = (paths, text = '') => paths.map((path) => ({ path, text }))

test('a package of what its manifest names is right', () => {
  expect(checkContents(filesOf(good), manifest, ['/home/me/ext'], false)).toEqual([])
})

test.each(['src/index.ts', 'dist/index.js.map', 'dist/test/x.js', '.env', 'notes.md', 'bin/ext.ts', 'dist/main.ts'])(
  '%s does not belong there',
  (path) => {
    expect(checkContents(filesOf([...good, path]), manifest, [], false)).toEqual([`${path} does not belong there.`])
  },
)

test('declarations do not belong into a product', () => {
  expect(checkContents(filesOf(good), manifest, [], true)).toEqual(['dist/index.d.ts does not belong there.'])
})

test('what is named has to be there, and no file names the machine', () => {
  const files = [...filesOf(good.slice(0, 4)), { path: 'dist/index.d.ts', text: '// from /home/me/ext/src' }]
  expect(checkContents(files, manifest, ['/home/me/ext'], false)).toEqual([
    'dist/index.js is missing.',
    'dist/index.d.ts names /home/me/ext, which is of this machine.',
  ])
})

test('a target that stands for several files has at least one of them', () => {
  const files = ['dist', 'bin', 'schema']
  const several = { ...manifest, files, exports: { ...manifest.exports, './schema/*': './schema/output/*' } }
  expect(checkContents(filesOf([...good, 'schema/output/a.schema.json']), several, [], false)).toEqual([])
  expect(checkContents(filesOf(good), several, [], false)).toEqual(['schema/output/* is missing.'])
})
