import {
  chmodSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { line, sessionIn, type Workspace, workspace } from './tool-kit.js'

const bytesOf = ({ folder }: Workspace, name: string) => readFileSync(join(folder, name))
const utf16 = (text: string, bigEndian = false): Buffer => {
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le')
  return bigEndian ? bytes.swap16() : bytes
}

/** Reads `f.txt`, changes it, and gives what is in it then. */
async function edited(
  content: string | Uint8Array,
  old_string: string,
  new_string: string,
  replace_all = false,
): Promise<Buffer> {
  const work = workspace({ 'f.txt': content })
  await work.ok('Read', { file_path: 'f.txt' })
  await work.ok('Edit', { file_path: 'f.txt', old_string, new_string, replace_all })
  return bytesOf(work, 'f.txt')
}

async function written(content: string | Uint8Array, next: string): Promise<Buffer> {
  const work = workspace({ 'f.txt': content })
  await work.ok('Read', { file_path: 'f.txt' })
  await work.ok('Write', { file_path: 'f.txt', content: next })
  return bytesOf(work, 'f.txt')
}

describe('Edit changes the text that it names and nothing else', () => {
  it.each<[what: string, before: string | Uint8Array, old: string, next: string, after: string | Uint8Array]>([
    ['one place', 'a\nb\nc\n', 'b', 'x', 'a\nx\nc\n'],
    ['several lines', 'a\nb\nc\n', 'a\nb\n', 'x\n', 'x\nc\n'],
    ['to nothing', 'a\nb\n', 'a\n', '', 'b\n'],
    ['no break at the end', 'a\nb', 'b', 'c', 'a\nc'],
    ['CRLF', 'a\r\nb\r\nc\r\n', 'a\nb', 'x\ny\nz', 'x\r\ny\r\nz\r\nc\r\n'],
    ['CRLF, written as such', 'a\r\nb\r\n', 'a\r\nb', 'x\r\ny', 'x\r\ny\r\n'],
    ['CRLF, within a line', 'a\r\nb\r\n', 'b', 'x\ny', 'a\r\nx\r\ny\r\n'],
    ['both kinds of breaks', 'a\r\nb\nc\r\nd\n', 'b\nc', 'x\ny', 'a\r\nx\ny\r\nd\n'],
    ['the break alone', 'a\r\nb\r\n', 'a\nb', 'ab', 'ab\r\n'],
    ['a byte order mark', '\uFEFFa\n', 'a', 'b', '\uFEFFb\n'],
    ['UTF-16, little end first', utf16('ä\r\nö\r\n'), 'ä\nö', 'x\n😀', utf16('x\r\n😀\r\n')],
    ['UTF-16, big end first', utf16('ä\n', true), 'ä', 'é', utf16('é\n', true)],
    ['other characters', 'héllo 😀\n', '😀', '🙂', 'héllo 🙂\n'],
    ['Latin-1', Buffer.from('K\xe4se = 1\n', 'latin1'), '= 1', '= 2', Buffer.from('K\xe4se = 2\n', 'latin1')],
    ['what a replacement pattern would mean', 'cost\n', 'cost', "$& $1 $$ $'", "$& $1 $$ $'\n"],
  ])('with %s', async (_what, before, old, next, after) => {
    expect(await edited(before, old, next)).toEqual(Buffer.from(after))
  })

  it('and shows the lines as they are now', async () => {
    const { ok } = workspace({ 'f.txt': 'a\nb\nc\nd\ne\nf\ng\nh\n' })
    await ok('Read', { file_path: 'f.txt' })
    const lines = [
      line(2, 'b'),
      line(3, 'c'),
      line(4, 'd'),
      line(5, 'x'),
      line(6, 'y'),
      line(7, 'f'),
      line(8, 'g'),
      line(9, 'h'),
    ]
    expect(await ok('Edit', { file_path: 'f.txt', old_string: 'e', new_string: 'x\ny' })).toBe(
      `\`f.txt\` is changed:\n${lines.join('\n')}`,
    )
  })

  it('everywhere, when it is asked to', async () => {
    expect(String(await edited('a b a\na\n', 'a', 'aa', true))).toBe('aa b aa\naa\n')
    const { ok, fails } = workspace({ 'f.txt': 'x\na\nb\na\n' })
    await ok('Read', { file_path: 'f.txt' })
    expect(await fails('Edit', { file_path: 'f.txt', old_string: 'a', new_string: 'c' })).toBe(
      'The text is in `f.txt` 2 times, at lines 2, 4. Give more of what stands around it, or set replace_all.',
    )
    expect(await ok('Edit', { file_path: 'f.txt', old_string: 'a', new_string: 'c', replace_all: true })).toContain(
      'in 2 places',
    )
  })

  it('and may go on with what it has written itself', async () => {
    const work = workspace({ 'f.txt': 'a\n' })
    await work.ok('Read', { file_path: 'f.txt' })
    for (const [old_string, new_string] of [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'd'],
    ] as const) {
      await work.ok('Edit', { file_path: 'f.txt', old_string, new_string })
    }
    expect(String(bytesOf(work, 'f.txt'))).toBe('d\n')
  })

  it('keeps the mode of the file, and a link a link', async () => {
    const work = workspace({ 'bin/run.sh': 'a\n' })
    chmodSync(join(work.folder, 'bin/run.sh'), 0o755)
    symlinkSync('bin/run.sh', join(work.folder, 'run'))
    await work.ok('Read', { file_path: 'run' })
    await work.ok('Edit', { file_path: 'run', old_string: 'a', new_string: 'b' })
    expect(statSync(join(work.folder, 'bin/run.sh')).mode & 0o777).toBe(0o755)
    expect(lstatSync(join(work.folder, 'run')).isSymbolicLink()).toBe(true)
    expect(String(bytesOf(work, 'bin/run.sh'))).toBe('b\n')
    expect(readdirSync(join(work.folder, 'bin'))).toEqual(['run.sh'])
  })

  it('leaves another name of the file alone, such as the store of a package manager', async () => {
    const work = workspace({ 'store.txt': 'a\n' })
    linkSync(join(work.folder, 'store.txt'), join(work.folder, 'f.txt'))
    await work.ok('Read', { file_path: 'f.txt' })
    await work.ok('Edit', { file_path: 'f.txt', old_string: 'a', new_string: 'b' })
    expect(String(bytesOf(work, 'store.txt'))).toBe('a\n')
  })
})

describe('Edit says what is wrong', () => {
  const file = 'function add(a, b) {\n  return a + b\n}\n\nfunction sub(a, b) {\n  return a - b\n}\n'

  it.each<[what: string, old: string, says: string]>([
    [
      'with other white space',
      'function sub(a, b) {\n    return a - b\n}',
      `It differs in white space only from these lines; copy them exactly:\n${line(5, 'function sub(a, b) {')}\n${line(6, '  return a - b')}\n${line(7, '}')}`,
    ],
    ['with a tab', '\treturn a - b', `copy them exactly:\n${line(6, '  return a - b')}`],
    [
      'with line numbers',
      `${line(1, 'function add(a, b) {')}\n${line(2, '  return a + b')}`,
      'The line numbers and tabs that Read puts in front are not part of the file',
    ],
    [
      'that is nearly there',
      'function substract(a, b) {\n  return a - b',
      `The nearest lines are:\n${line(1, 'function add(a, b) {')}`,
    ],
    ['that is like nothing', 'import x from "y"', 'Nothing in the file is like it. Read the file again.'],
  ])('of a text %s', async (_what, old_string, says) => {
    const { ok, fails } = workspace({ 'f.js': file })
    await ok('Read', { file_path: 'f.js' })
    const text = await fails('Edit', { file_path: 'f.js', old_string, new_string: 'x' })
    expect(text).toContain('The text is not in `f.js`.')
    expect(text).toContain(says)
  })

  it('of texts that are the same, of a file that is none, and of a file that is missing', async () => {
    const { fails } = workspace({ 'src/f.js': file })
    const change = { old_string: 'a', new_string: 'b' }
    expect(await fails('Edit', { file_path: 'src/f.js', old_string: 'a\r\n', new_string: 'a\n' })).toContain(
      'nothing to change',
    )
    expect(await fails('Edit', { file_path: 'src', ...change })).toBe('`src` is a folder. Glob lists the files in it.')
    expect(await fails('Edit', { file_path: 'src/g.js', ...change })).toContain('Did you mean `src/f.js`?')
  })

  it('of a file that is larger than can be changed', async () => {
    const { ok, fails } = workspace({ 'f.txt': 'a\n'.repeat(100) }, { limits: { editBytes: 100 } })
    await ok('Read', { file_path: 'f.txt' })
    expect(await fails('Edit', { file_path: 'f.txt', old_string: 'a', new_string: 'b', replace_all: true })).toBe(
      '`f.txt` has 200 bytes; files of up to 100 bytes can be changed.',
    )
    expect(await fails('Write', { file_path: 'new.txt', content: 'x'.repeat(101) })).toContain(
      '100 bytes are the limit',
    )
  })

  it('of a character that the file can not hold', async () => {
    const { ok, fails } = workspace({ 'f.txt': Buffer.from('K\xe4se\n', 'latin1'), 'g.txt': 'a\n' })
    for (const file_path of ['f.txt', 'g.txt']) await ok('Read', { file_path })
    expect(await fails('Edit', { file_path: 'f.txt', old_string: 'se', new_string: 'ß' })).toContain(
      'Convert it first, or use ASCII only.',
    )
    expect(await fails('Edit', { file_path: 'g.txt', old_string: 'a', new_string: '\ud800' })).toContain('surrogate')
    expect(await fails('Write', { file_path: 'h.txt', content: '\ud800' })).toContain('surrogate')
  })
})

describe('a file that somebody else changes', () => {
  const change = { file_path: 'f.txt', old_string: 'a', new_string: 'x' }

  it.each<[what: string, now: string, says: string]>([
    ['a line was changed', 'a\nB\nc\n', 'line 2 has taken the place of 1 line'],
    ['lines were added', 'a\nb\nnew\nnew\nc\n', 'lines 3 to 4 are new'],
    ['a line was added at the end', 'a\nb\nc\nd\n', 'line 4 is new'],
    ['lines were taken away', 'a\n', '2 lines behind line 1 are gone'],
    ['everything is another text', 'x\ny\n', 'lines 1 to 2 have taken the place of 3 lines'],
    ['only the break at the end is gone', 'a\nb\nc', 'its last line break'],
  ])('is not changed when %s', async (_what, now, says) => {
    const work = workspace({ 'f.txt': 'a\nb\nc\n' })
    await work.ok('Read', { file_path: 'f.txt' })
    writeFileSync(join(work.folder, 'f.txt'), now)
    const text = `\`f.txt\` has changed since it was read: ${says}. Read it again, then change it.`
    expect(await work.fails('Edit', change)).toBe(text)
    expect(await work.fails('Write', { file_path: 'f.txt', content: 'mine\n' })).toBe(text)
    expect(String(bytesOf(work, 'f.txt'))).toBe(now)
    await work.ok('Read', { file_path: 'f.txt' })
    await work.ok('Write', { file_path: 'f.txt', content: 'mine\n' })
  })

  it('is one although its size and its time are what they were', async () => {
    const work = workspace({ 'f.txt': 'a\nb\n' })
    await work.ok('Read', { file_path: 'f.txt' })
    const { atime, mtime } = statSync(join(work.folder, 'f.txt'))
    writeFileSync(join(work.folder, 'f.txt'), 'a\nX\n')
    utimesSync(join(work.folder, 'f.txt'), atime, mtime)
    expect(await work.fails('Edit', change)).toContain('has changed since it was read')
  })

  it('is none when it was only touched, or written with what was in it', async () => {
    const work = workspace({ 'f.txt': 'a\nb\n' })
    await work.ok('Read', { file_path: 'f.txt' })
    utimesSync(join(work.folder, 'f.txt'), 1, 1)
    chmodSync(join(work.folder, 'f.txt'), 0o600)
    await work.ok('Edit', change)
    writeFileSync(join(work.folder, 'f.txt'), 'x\nb\n')
    await work.ok('Edit', { ...change, old_string: 'x', new_string: 'y' })
  })

  it('is one too when it is too large to be held', async () => {
    const work = workspace({ 'f.txt': 'a\n'.repeat(600_000) })
    await work.ok('Read', { file_path: 'f.txt', limit: 1 })
    writeFileSync(join(work.folder, 'f.txt'), 'b\n'.repeat(600_000))
    expect(await work.fails('Edit', change)).toContain('it was written by somebody else')
  })

  it('is gone', async () => {
    const work = workspace({ 'f.txt': 'a\n' })
    await work.ok('Read', { file_path: 'f.txt' })
    rmSync(join(work.folder, 'f.txt'))
    expect(await work.fails('Edit', change)).toContain('does not exist')
    await work.ok('Write', { file_path: 'f.txt', content: 'new\n' })
  })

  it('is not overwritten by two changes at once: one of them fails', async () => {
    const work = workspace({ 'f.txt': 'a b\n' })
    await work.ok('Read', { file_path: 'f.txt' })
    const both = await Promise.all(
      ['a', 'b'].map((old_string) => work.call('Edit', { file_path: 'f.txt', old_string, new_string: 'x' })),
    )
    expect(both.filter(({ isError }) => isError).map(({ text }) => text)).toEqual([
      '`f.txt`: The file was changed meanwhile. Nothing was written. Read it again, then change it.',
    ])
    expect(readdirSync(work.folder)).toEqual(['f.txt'])
  })

  it('comes into being while another one writes it: one of them fails', async () => {
    const work = workspace()
    const both = await Promise.all(['a', 'b'].map((content) => work.call('Write', { file_path: 'new.txt', content })))
    expect(both.filter(({ isError }) => isError)).toHaveLength(1)
    expect(readdirSync(work.folder)).toEqual(['new.txt'])
  })
})

describe('a file that was not read', () => {
  it('is not changed, nor one that another session has read', async () => {
    const work = workspace({ 'f.txt': 'a\n' })
    const text = '`f.txt` has not been read in this session. Read it, then change it.'
    const change = { file_path: 'f.txt', old_string: 'a', new_string: 'x' }
    expect(await work.fails('Edit', change)).toBe(text)
    expect(await work.fails('Write', { file_path: 'f.txt', content: 'x' })).toBe(text)
    await work.call('Read', { file_path: 'f.txt' }, { session: sessionIn(work.folder, 'other') })
    await work.ok('Grep', { pattern: 'a' })
    expect(await work.fails('Edit', change)).toBe(text)
  })

  it('is forgotten after 500 others were read in its place', async () => {
    const files = Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`f${at}.txt`, 'a\n']))
    const work = workspace(files)
    for (const file_path of Object.keys(files)) await work.ok('Read', { file_path })
    const change = { old_string: 'a', new_string: 'x' }
    expect(await work.fails('Edit', { file_path: 'f0.txt', ...change })).toContain('has not been read')
    await work.ok('Edit', { file_path: 'f1.txt', ...change })
  })
})

describe('Write', () => {
  it.each<[what: string, before: string | Uint8Array, content: string, after: string | Uint8Array]>([
    ['CRLF', 'a\r\nb\r\n', 'x\ny\n', 'x\r\ny\r\n'],
    ['the break at the end', 'a\n', 'x', 'x\n'],
    ['CRLF and the break at the end', 'a\r\n', 'x', 'x\r\n'],
    ['no break where there was none', 'a', 'x', 'x'],
    ['a byte order mark', '\uFEFFa\n', 'x\n', '\uFEFFx\n'],
    ['UTF-16', utf16('a\n'), 'ä\n', utf16('ä\n')],
    ['both kinds of breaks as they come', 'a\r\nb\n', 'x\r\ny\n', 'x\r\ny\n'],
    ['nothing of an empty file', '', 'x\n', 'x\n'],
    ['nothing in an emptied file', 'a\n', '', ''],
  ])('keeps %s of a file that is there', async (_what, before, content, after) => {
    expect(await written(before, content)).toEqual(Buffer.from(after))
  })

  it('makes a file with the folders that it needs, as everybody else would', async () => {
    const work = workspace()
    expect(await work.ok('Write', { file_path: 'a/b/c.txt', content: 'x\ny' })).toBe(
      '`a/b/c.txt` is written: a new file of 2 lines.',
    )
    writeFileSync(join(work.folder, 'like'), '')
    expect(statSync(join(work.folder, 'a/b/c.txt')).mode).toBe(statSync(join(work.folder, 'like')).mode)
    await work.ok('Edit', { file_path: 'a/b/c.txt', old_string: 'x', new_string: 'z' })
  })

  it('says what it has kept', async () => {
    const { ok } = workspace({ 'f.txt': 'a\r\n' })
    await ok('Read', { file_path: 'f.txt' })
    expect(await ok('Write', { file_path: 'f.txt', content: 'x\ny' })).toBe(
      '`f.txt` is written: 2 lines, 1 line before.\n[its line breaks are CRLF, as they were]\n[it ends with a line break, as it did]',
    )
  })

  it('leaves a read-only file alone, even as root, and a folder', async () => {
    const work = workspace({ 'f.txt': 'a\n', 'src/a.ts': '' })
    chmodSync(join(work.folder, 'f.txt'), 0o444)
    await work.ok('Read', { file_path: 'f.txt' })
    expect(await work.fails('Write', { file_path: 'f.txt', content: 'x' })).toBe('`f.txt`: The file is read-only.')
    expect(await work.fails('Write', { file_path: 'src', content: 'x' })).toContain('is a folder')
    expect(await work.fails('Write', { file_path: 'f.txt/x', content: 'x' })).toBe(
      "`f.txt/x`: The file can't be written: EEXIST.",
    )
  })
})
