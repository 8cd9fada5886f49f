import { describe, expect, test } from 'vitest'
import { claudeSource, extSource, load, only, rule, scene } from '../support.js'

const changed = (file_path: string) => ({ file_path, change: 'change', event: 'change' }) as const

describe('the matcher of FileChanged', () => {
  test('names files, which are what is watched, each once', async () => {
    const hooks = await load([
      extSource(
        rule('FileChanged', 'true', { matcher: '.env|.envrc' }),
        rule('FileChanged', 'false', { matcher: ' ./config/app.json | .env |' }),
        rule('FileChanged', 'true 3', { matcher: '/etc/hosts' }),
        rule('PreToolUse', 'true', { matcher: 'Bash' }),
      ),
    ])
    expect(hooks.diagnostics).toEqual([])
    expect(hooks.watchedFiles()).toEqual(['.env', '.envrc', 'config/app.json', '/etc/hosts'])
  })

  test.each([
    ['/srv/app/.env', true],
    ['/srv/app/config/app.json', true],
    ['C:\\app\\config\\app.json', true],
    ['/srv/app/Xenv', false],
    ['/srv/app/.env.local', false],
    ['/srv/app/other/app.json', false],
  ])('fits %s: %s, letter by letter', async (path, fits) => {
    const at = await scene([extSource(rule('FileChanged', 'true', { matcher: '.env|config/app.json' }))])
    expect(at.session.fire('FileChanged', () => changed(path)) !== undefined).toBe(fits)
  })

  test('means the same in Claude Code’s files', async () => {
    const hooks = await load([
      claudeSource({ FileChanged: [{ matcher: '.envrc|.env', hooks: [{ type: 'command', command: 'true' }] }] }),
    ])
    expect([hooks.diagnostics, hooks.watchedFiles()]).toEqual([[], ['.envrc', '.env']])
  })

  test.each([undefined, '', '*', ' | '])('without a name (%s) watches nothing, which is said', async (matcher) => {
    const written = matcher === undefined ? {} : { matcher }
    const hooks = await load([extSource(rule('FileChanged', 'true', written))])
    expect(only(hooks)).toMatchObject({ code: 'hooks.matcher.no-file', severity: 'warning' })
    expect(hooks.watchedFiles()).toEqual([])
  })

  test.each(['*.ts', 'src/.*', '^a$', 'a?'])(
    'that is a pattern (%s) is told that names are literal',
    async (matcher) => {
      const hooks = await load([extSource(rule('FileChanged', 'true', { matcher }))])
      expect(only(hooks)).toMatchObject({ code: 'hooks.matcher.file-pattern', severity: 'warning' })
    },
  )

  test('of a hook that waits for approval has nothing watched', async () => {
    const source = { ...extSource(rule('FileChanged', 'true', { matcher: '.env' })), layer: 'project' as const }
    const hooks = await load([source], { approved: () => false })
    expect(hooks.watchedFiles()).toEqual([])
  })
})
