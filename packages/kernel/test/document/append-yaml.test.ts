import { describe, expect, it } from 'vitest'
import { appendToYaml } from '../../src/index.js'

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
