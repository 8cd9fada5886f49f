import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nodeHash } from '../../../src/node/index.js'
import { project } from '../../trust/project.js'

const hash = nodeHash()

describe('hashes of this machine', () => {
  it('are those that sha256sum prints, for texts and files of any size', () => {
    const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
    const root = project({ abc: 'abc', large: 'x'.repeat(700_000) })
    expect(hash.sha256('abc')).toBe(abc)
    expect(hash.file(join(root, 'abc'))).toEqual({ sha256: abc, realPath: join(root, 'abc') })
    expect(hash.file(join(root, 'large'))).toMatchObject({ sha256: hash.sha256('x'.repeat(700_000)) })
    writeFileSync(join(root, 'bytes'), Buffer.from([0xff, 0xfe, 0]))
    expect(hash.file(join(root, 'bytes'))).not.toMatchObject({ sha256: hash.sha256('\ufffd\ufffd\u0000') })
  })

  it('follow links and say where they lead', () => {
    const root = project({ abc: 'abc' })
    mkdirSync(join(root, 'sub'))
    symlinkSync('../abc', join(root, 'sub/link'))
    symlinkSync('sub', join(root, 'other'))
    expect(hash.file(join(root, 'other/link'))).toMatchObject({ realPath: join(root, 'abc') })
    expect(hash.realPath(join(root, 'other'))).toBe(join(root, 'sub'))
    expect(hash.realPath(join(root, 'nothing'))).toBeUndefined()
  })

  it('of what is no file are a reason', () => {
    const root = project({ abc: 'abc', 'large.bin': '' })
    truncateSync(join(root, 'large.bin'), 256 * 1024 * 1024 + 1)
    symlinkSync('circle', join(root, 'circle'))
    const failures = ['large.bin', '.', 'nothing', 'abc/x', 'circle', 'a\0b', 'long'.repeat(5000)].map(
      (name) => hash.file(`${root}/${name}`).failure,
    )
    expect(failures).toEqual(['too-large', 'folder', 'missing', 'missing', 'unreadable', 'missing', 'missing'])
    expect(hash.file('/dev/zero').failure).toBe('not-a-file')
  })
})
