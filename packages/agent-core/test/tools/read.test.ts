import { execFileSync } from 'node:child_process'
import { symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { line, sessionIn, workspace } from './tool-kit.js'

const utf16 = (text: string, bigEndian = false): Buffer => {
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le')
  return bigEndian ? bytes.swap16() : bytes
}
const latin1 = (text: string) => Buffer.from(text, 'latin1')
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

describe('Read gives what is in a text file', () => {
  it.each<[what: string, content: string | Uint8Array, text: string]>([
    ['lines with numbers', 'a\nb\n', `${line(1, 'a')}\n${line(2, 'b')}`],
    ['a last line without a break', 'a\nb', `${line(1, 'a')}\n${line(2, 'b')}\n[no line break at the end]`],
    ['an empty file', '', '[`f.txt` is empty]'],
    ['one empty line', '\n', line(1, '')],
    [
      'CRLF',
      'a\r\nb\r\n',
      `${line(1, 'a')}\n${line(2, 'b')}\n[the line breaks are CRLF, which stay when the file is changed]`,
    ],
    [
      'a byte order mark',
      '\uFEFFa\n',
      `${line(1, 'a')}\n[UTF-8 with a byte order mark, which stays when the file is changed]`,
    ],
    [
      'UTF-16, little end first',
      utf16('ä\n'),
      `${line(1, 'ä')}\n[UTF-16LE with a byte order mark, which stays when the file is changed]`,
    ],
    [
      'UTF-16, big end first',
      utf16('ä\n', true),
      `${line(1, 'ä')}\n[UTF-16BE with a byte order mark, which stays when the file is changed]`,
    ],
    [
      'an empty UTF-16 file',
      utf16(''),
      '[`f.txt` is empty]\n[UTF-16LE with a byte order mark, which stays when the file is changed]',
    ],
    [
      'Latin-1',
      latin1('K\xe4se\n'),
      `${line(1, 'K\uFFFDse')}\n[not all of it is valid UTF-8; what is not stands here as \uFFFD]`,
    ],
    ['a text that begins like a program', 'MZ is a prefix\n', line(1, 'MZ is a prefix')],
  ])('with %s', async (_what, content, text) => {
    const { ok } = workspace({ 'f.txt': content })
    expect(await ok('Read', { file_path: 'f.txt' })).toBe(text)
  })

  it('at an absolute path, below the home folder, and by a link within the workspace', async () => {
    const { ok, folder } = workspace({ 'a/f.txt': 'x\n' })
    symlinkSync('a/f.txt', join(folder, 'link.txt'))
    for (const file_path of [join(folder, 'a/f.txt'), 'a/f.txt', './a/../a/f.txt', 'link.txt']) {
      expect(await ok('Read', { file_path })).toBe(line(1, 'x'))
    }
  })

  it('in a range, and says how to go on', async () => {
    const { ok, fails } = workspace({ 'f.txt': Array.from({ length: 50 }, (_, at) => `l${at + 1}\n`).join('') })
    expect(await ok('Read', { file_path: 'f.txt', offset: 10, limit: 2 })).toBe(
      `${line(10, 'l10')}\n${line(11, 'l11')}\n[lines 10 to 11, there are 50; go on with offset 12]`,
    )
    expect(await ok('Read', { file_path: 'f.txt', offset: 50 })).toBe(
      `${line(50, 'l50')}\n[lines 50 to 50, there are 50]`,
    )
    expect(await fails('Read', { file_path: 'f.txt', offset: 51 })).toBe('`f.txt` has 50 lines; there is no line 51.')
  })

  it('up to the limits of lines, of characters and of one line', async () => {
    const limits = { readLines: 3, characters: 3000 }
    const { ok } = workspace(
      {
        'many.txt': 'a\n'.repeat(10),
        'long.txt': `${'x'.repeat(5000)}\nb\n`,
        'wide.txt': `${'y'.repeat(1800)}\n`.repeat(3),
      },
      { limits },
    )
    expect(await ok('Read', { file_path: 'many.txt' })).toContain('[lines 1 to 3, there are 10; go on with offset 4]')
    expect(await ok('Read', { file_path: 'long.txt' })).toBe(
      `${line(1, 'x'.repeat(2000))}\n${line(2, 'b')}\n[cut at 2000 characters: line 1]`,
    )
    expect(await ok('Read', { file_path: 'wide.txt' })).toContain('[lines 1 to 2, there are 3; go on with offset 3]')
  })
})

describe('Read of a large file', () => {
  const large = (lines: number, width = 100) => `${'z'.repeat(width)}\n`.repeat(lines)

  it('gives a range without knowing the end', async () => {
    const { ok } = workspace({ 'f.log': large(30_000) })
    expect(await ok('Read', { file_path: 'f.log', limit: 1 })).toBe(
      `${line(1, 'z'.repeat(100))}\n[lines 1 to 1, there are more; go on with offset 2]`,
    )
    expect(await ok('Read', { file_path: 'f.log', offset: 29_999, limit: 5 })).toBe(
      `${line(29_999, 'z'.repeat(100))}\n${line(30_000, 'z'.repeat(100))}\n[lines 29999 to 30000, there are 30000]`,
    )
  })

  it('gives the same lines as of a small one, whatever the encoding', async () => {
    const text = `${'äöü😀'.repeat(20)}\r\n`.repeat(12_000)
    const { ok } = workspace({ 'a.txt': text, 'b.txt': utf16(text) })
    const range = { offset: 11_990, limit: 3 }
    const [a, b] = [
      await ok('Read', { file_path: 'a.txt', ...range }),
      await ok('Read', { file_path: 'b.txt', ...range }),
    ]
    expect(a.split('\n').slice(0, 3)).toEqual(
      [11_990, 11_991, 11_992].map((number) => line(number, 'äöü😀'.repeat(20))),
    )
    expect(b.split('\n').slice(0, 3)).toEqual(a.split('\n').slice(0, 3))
  })

  it('holds no more of a line than is shown', async () => {
    const { ok } = workspace({ 'min.js': `${'a'.repeat(3_000_000)}\nend\n` })
    expect(await ok('Read', { file_path: 'min.js' })).toBe(
      `${line(1, 'a'.repeat(2000))}\n${line(2, 'end')}\n[cut at 2000 characters: line 1]`,
    )
  })

  it('of 2 GB reads no more than it needs', async () => {
    const { ok, fails, folder } = workspace({ 'text.log': 'first\n' })
    writeFileSync(join(folder, 'hole.bin'), '')
    for (const name of ['text.log', 'hole.bin']) truncateSync(join(folder, name), 2 ** 31 + 1)
    const before = process.memoryUsage().rss
    expect(await fails('Read', { file_path: 'hole.bin' })).toBe(
      '`hole.bin` is no text: it is binary data of 2,147,483,649 bytes.',
    )
    expect(await fails('Read', { file_path: 'text.log' })).toContain('binary data')
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024)
    writeFileSync(join(folder, 'text.log'), large(200))
    truncateSync(join(folder, 'text.log'), 2 ** 31 + 1)
    expect(await ok('Read', { file_path: 'text.log', limit: 1 })).toContain(
      '[lines 1 to 1, there are more; go on with offset 2]',
    )
  })

  it('stops when the run is aborted', async () => {
    const { call } = workspace({ 'f.log': large(30_000) })
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(call('Read', { file_path: 'f.log', offset: 29_000 }, { signal })).rejects.toThrow('enough')
  })
})

describe('Read of what is no text', () => {
  it('shows an image', async () => {
    const { call } = workspace({ 'dot.png': PNG })
    expect((await call('Read', { file_path: 'dot.png' })).result).toEqual({
      content: [
        { type: 'text', text: `\`dot.png\`, image/png, ${PNG.length} bytes` },
        { type: 'image', data: PNG.toString('base64'), mimeType: 'image/png' },
      ],
      isError: false,
    })
  })

  it.each([
    ['a.gif', Buffer.from('GIF89a....'), 'image/gif'],
    ['a.jpg', Buffer.from('\xff\xd8\xff\xe0....', 'latin1'), 'image/jpeg'],
    ['a.webp', Buffer.from('RIFF....WEBPVP8 '), 'image/webp'],
  ])('knows %s by its content', async (name, bytes, mimeType) => {
    const { call } = workspace({ [name]: bytes })
    expect((await call('Read', { file_path: name })).result.content[1]).toMatchObject({ type: 'image', mimeType })
  })

  it('says how large an image may be', async () => {
    const { fails } = workspace({ 'dot.png': PNG }, { limits: { imageBytes: 10 } })
    expect(await fails('Read', { file_path: 'dot.png' })).toBe(
      `\`dot.png\` is an image of ${PNG.length} bytes; 10 bytes are the limit.`,
    )
  })

  it.each([
    ['PDF', '%PDF-1.7\n', 'a PDF document'],
    ['ZIP', 'PK\x03\x04\x14\0', 'a ZIP archive'],
    ['a program', '\x7fELF\x02\x01\x01\0', 'a program (ELF)'],
    ['a database', 'SQLite format 3\0', 'an SQLite database'],
    ['anything else', 'a\0b', 'binary data'],
    ['UTF-32', '\xff\xfe\0\0a\0\0\0', 'binary data'],
  ])('names %s', async (_what, content, named) => {
    const { fails } = workspace({ 'f.bin': latin1(content) })
    expect(await fails('Read', { file_path: 'f.bin' })).toContain(`\`f.bin\` is no text: it is ${named}`)
  })

  it('opens no folder, pipe or broken link', async () => {
    const { fails, folder } = workspace({ 'src/a.ts': '' })
    execFileSync('mkfifo', [join(folder, 'pipe')])
    symlinkSync('gone', join(folder, 'broken'))
    symlinkSync('loop', join(folder, 'loop'))
    expect(await fails('Read', { file_path: 'src' })).toBe('`src` is a folder. Glob lists the files in it.')
    expect(await fails('Read', { file_path: 'pipe' })).toBe('`pipe` is a device, a pipe or a socket.')
    expect(await fails('Read', { file_path: 'broken' })).toBe('`broken` is a link that leads nowhere.')
    expect(await fails('Read', { file_path: 'loop' })).toBe('`loop` is a link that leads nowhere.')
  })
})

describe('Read of a file that does not exist', () => {
  it.each([
    ['src/idnex.ts', '`src/idnex.ts` does not exist. Did you mean `src/index.ts`?'],
    ['scr/index.ts', '`scr/index.ts` does not exist. There is no `scr` in `.`. Did you mean `src/index.ts`?'],
    ['src/nothing-like-it', '`src/nothing-like-it` does not exist.'],
  ])('%s says what may have been meant', async (file_path, text) => {
    const { fails, folder } = workspace({ 'src/index.ts': '' })
    expect(await fails('Read', { file_path })).toBe(`${text} Relative paths start at \`${folder}\`.`)
  })

  it('names nothing of a folder above the workspace', async () => {
    const { call, folder } = workspace({ 'work/a.txt': '', 'wonk/a.txt': '' })
    const session = sessionIn(join(folder, 'werk'))
    expect((await call('Read', { file_path: 'a.txt' }, { session })).text).not.toContain('Did you mean')
  })

  it('gives no name away that may not be found', async () => {
    const { fails } = workspace({ '.env': '' }, { mayFind: (path) => !path.endsWith('/.env') })
    expect(await fails('Read', { file_path: '.emv' })).not.toContain('Did you mean')
  })

  it('names no path with control characters', async () => {
    const { fails } = workspace()
    expect(await fails('Read', { file_path: 'a\0b' })).toBe('The path is empty or holds control characters.')
  })
})
