import { describe, expect, it } from 'vitest'
import { appendToYaml, removeFromYaml, setInYaml } from '../../src/index.js'

const ALLOW = ['permissions', 'allow']

describe('appending to a list in a YAML text', () => {
  it('keeps comments, order and everything else', async () => {
    const text = `# mine
model: fast # for now

permissions:
  # what runs alone
  allow:
    - Bash(ls) # harmless
  deny: [Read(.env)]
hooks: {}
`
    expect((await appendToYaml(text, ALLOW, ['Bash(npm test)', "Bash(git commit -m 'a b')"])).text).toBe(`# mine
model: fast # for now

permissions:
  # what runs alone
  allow:
    - Bash(ls) # harmless
    - Bash(npm test)
    - Bash(git commit -m 'a b')
  deny: [ Read(.env) ]
hooks: {}
`)
  })

  it.each(['', '# only a comment\n', 'permissions:\n', 'permissions:\n  allow:\n', 'model: x\n'])(
    'makes what is missing in %j',
    async (text) => {
      const { text: edited = '' } = await appendToYaml(text, ALLOW, ['Bash(ls)'])
      expect(edited).toContain('permissions:\n  allow:\n    - Bash(ls)\n')
      for (const line of text.split('\n').filter((each) => each.startsWith('#') || each.startsWith('model'))) {
        expect(edited).toContain(line)
      }
    },
  )

  it('adds nothing twice', async () => {
    const text = 'permissions:\n  allow:\n    - Bash(ls)\n'
    expect((await appendToYaml(text, ALLOW, ['Bash(ls)', 'Bash(id)'])).text).toBe(`${text}    - Bash(id)\n`)
  })

  it.each([
    ['permissions: [', 'it is not valid YAML: '],
    ['permissions: 5', '`permissions` holds something other than a map'],
    ['permissions: {allow: yes}', '`permissions.allow` holds something other than a list'],
    ['- a', '`the file` holds something other than a map'],
    ['a: 1\na: 2', 'it is not valid YAML: the same key stands twice'],
  ])('leaves %j alone and says why', async (text, problem) => {
    const edit = await appendToYaml(text, ALLOW, ['Bash(ls)'])
    expect(edit.text).toBeUndefined()
    expect(edit.problem).toContain(problem)
  })
})

describe('setting a key in a YAML text', () => {
  const text = `# mine
mcpServers:
  # for notes
  files:
    command: npx # slow
    args: [a]
  web: { url: "https://e.test" }
# the end
`

  it('adds it behind the others and keeps what is there', async () => {
    expect((await setInYaml(text, ['mcpServers', 'new'], { command: 'a b', env: { T: '${T}' } })).text).toBe(`# mine
mcpServers:
  # for notes
  files:
    command: npx # slow
    args: [ a ]
  web: { url: "https://e.test" }
  new:
    command: a b
    env:
      T: \${T}

# the end
`)
  })

  it('replaces what is there in its place', async () => {
    const { text: edited } = await setInYaml(text, ['mcpServers', 'files'], { command: 'b' })
    expect(edited).toBe(`# mine
mcpServers:
  # for notes
  files:
    command: b
  web: { url: "https://e.test" }

# the end
`)
  })

  it.each(['', '# only a comment\n', 'mcpServers:\n', 'model: x\n'])('makes what is missing in %j', async (before) => {
    expect((await setInYaml(before, ['mcpServers', 'a'], { command: 'b' })).text).toContain(
      'mcpServers:\n  a:\n    command: b\n',
    )
  })

  it('leaves what is no map alone', async () => {
    expect(await setInYaml('mcpServers: [a]', ['mcpServers', 'a'], {})).toEqual({
      problem: '`mcpServers` holds something other than a map',
    })
  })

  it('removes a key with its comments, and no others', async () => {
    expect((await removeFromYaml(text, ['mcpServers', 'web'])).text).toContain('# for notes\n  files:')
    expect((await removeFromYaml(text, ['mcpServers', 'web'])).text).not.toContain('web')
    const last = await removeFromYaml('a: 1\nmcpServers:\n  x: {}\n', ['mcpServers', 'x'])
    expect(last.text).toBe('a: 1\nmcpServers: {}\n')
  })

  it.each(['', 'mcpServers: {}\n', 'mcpServers: [web]\n', 'mcpServers: [\n'])(
    'removes nothing from %j and says why',
    async (before) => {
      expect((await removeFromYaml(before, ['mcpServers', 'web'])).problem).toBeDefined()
    },
  )
})
