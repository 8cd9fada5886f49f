import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { lineFile } from '../../src/node/index.js'

const folder = () => realpathSync(mkdtempSync(join(tmpdir(), 'lines-')))

describe('a file of lines', () => {
  it('is made for the person alone, with its folder, and grows', async () => {
    const path = join(folder(), 'new', 'log.jsonl')
    expect(await lineFile(path).read()).toEqual([])
    lineFile(path).append('one')
    lineFile(path).append('two')
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n')
    expect([statSync(path).mode & 0o777, statSync(join(path, '..')).mode & 0o777]).toEqual([0o600, 0o700])
    expect(await lineFile(path).read()).toEqual(['one', 'two'])
  })

  it('becomes the person’s own where others could read it, with the full files before it', async () => {
    const path = join(folder(), 'log.jsonl')
    const full = join(path, '..', 'log.1.jsonl')
    for (const file of [path, full]) {
      writeFileSync(file, 'before\n')
      chmodSync(file, 0o644)
    }
    const file = lineFile(path)
    expect(await file.read()).toEqual(['before', 'before'])
    file.append('after')
    expect([path, full].map((each) => statSync(each).mode & 0o777)).toEqual([0o600, 0o600])
    expect(await file.read()).toEqual(['before', 'before', 'after'])
  })

  // Root may change every mode.
  it.runIf(process.platform === 'linux' && process.getuid?.() !== 0)('gets no line where it is somebody else’s', () => {
    expect(() => lineFile('/dev/null').append('a')).toThrow('others may read /dev/null')
  })

  it('keeps as many full files as it is told, and loses none of them', async () => {
    const path = join(folder(), 'log.jsonl')
    const file = lineFile(path, { maxBytes: 40, older: 2 })
    for (let line = 0; line < 12; line++) file.append(`line ${line} ......`)
    const names = readdirSync(join(path, '..')).sort()
    expect(names).toEqual(['log.1.jsonl', 'log.2.jsonl', 'log.jsonl'])
    expect((await file.read()).map((line) => line.split(' ')[1])).toEqual(['6', '7', '8', '9', '10', '11'])
  })

  it('is not moved by two processes: who does not get the lock writes on', async () => {
    const path = join(folder(), 'log.jsonl')
    writeFileSync(`${path}.lock`, '')
    const file = lineFile(path, { maxBytes: 10 })
    for (const line of ['first', 'second', 'third']) file.append(line)
    expect(readFileSync(path, 'utf8')).toBe('first\nsecond\nthird\n')
    // Whoever has left the lock is gone.
    const long = new Date(Date.now() - 60_000)
    utimesSync(`${path}.lock`, long, long)
    file.append('fourth')
    file.append('fifth')
    expect(await file.read()).toEqual(['first', 'second', 'third', 'fourth', 'fifth'])
    expect(readFileSync(path, 'utf8')).toBe('fifth\n')
  })

  it('begins a line of its own behind one that was torn', async () => {
    const path = join(folder(), 'log.jsonl')
    writeFileSync(path, 'whole\nhal')
    const file = lineFile(path)
    file.append('next')
    file.append('last')
    expect(readFileSync(path, 'utf8')).toBe('whole\nhal\nnext\nlast\n')
  })

  it('does not wait at a pipe, neither in its own place nor in that of a full one', async () => {
    const place = folder()
    execFileSync('mkfifo', [join(place, 'own.jsonl'), join(place, 'new.1.jsonl')])
    for (const name of ['own.jsonl', 'new.jsonl']) {
      const file = lineFile(join(place, name))
      expect(() => file.append('a')).toThrow('a pipe stands where a file is expected')
      expect(await file.read()).toEqual([])
    }
  })

  it('throws what the file system throws, and follows no link', () => {
    const path = join(folder(), 'log.jsonl')
    symlinkSync('/dev/full', path)
    expect(() => lineFile(path).append('x')).toThrow(/ELOOP/)
    // As a full disk does.
    expect(() => lineFile('/dev/full').append('x')).toThrow(/ENOSPC/)
  })
})
