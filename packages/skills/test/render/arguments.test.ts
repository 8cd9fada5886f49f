import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makeProject, sessionRef, skill } from '../project.js'

/** The instructions of a skill with this body, below the lines about the skill itself. */
async function render(body: string, args?: string, header = 'description: D.'): Promise<string> {
  const project = await makeProject({ 'skills/it/SKILL.md': skill(header, body) })
  const skills = await project.load({ projectDir: '/the/project' })
  const activation = await skills
    .session(sessionRef('session-7'))
    .activate('it', { via: 'user', ...(args === undefined ? {} : { args }) })
  if (!activation.skill) throw new Error(activation.problem)
  return activation.text.replaceAll(project.root, '<root>').split('\n').slice(4).join('\n')
}

describe('Placeholders', () => {
  it.each([
    ['Fix issue $ARGUMENTS.', '12 "a b"', 'Fix issue 12 "a b".'],
    ['$0 then $1', '"hello world" second', 'hello world then second'],
    ['$ARGUMENTS[1] of $ARGUMENTS[0]', 'a b', 'b of a'],
    ['No argument: $ARGUMENTS.', undefined, 'No argument: .'],
    ['$0 and $2 and $ARGUMENTS[5]', 'only', 'only and $2 and $ARGUMENTS[5]'],
    ['$10', 'a b c d e f g h i j k', 'k\n\n## Arguments\n\na b c d e f g h i j k'],
    ['$0을 배포', 'web', 'web을 배포'],
    ['$0x $ARGUMENTS_FILE $HOME ${HOME} $$', undefined, '$0x $ARGUMENTS_FILE $HOME ${HOME} $$'],
    ['\\$1.00, \\$ARGUMENTS, \\$HOME, \\\\$0', 'a', '$1.00, $ARGUMENTS, \\$HOME, \\\\a'],
    ['In ${SKILL_DIR} = ${CLAUDE_SKILL_DIR}', undefined, 'In <root>/skills/it = <root>/skills/it'],
    ['${PROJECT_DIR} = ${CLAUDE_PROJECT_DIR}', undefined, '/the/project = /the/project'],
    ['${SESSION_ID} = ${CLAUDE_SESSION_ID}', undefined, 'session-7 = session-7'],
    ['\\${SESSION_ID}', undefined, '${SESSION_ID}'],
  ])('%j with %j becomes %j', async (body, args, expected) => {
    expect(await render(body, args)).toBe(expected)
  })

  it('have the names that the header gives', async () => {
    const header = 'description: D.\narguments: [env, env-name, region]'
    expect(await render('$env $env-name $region $environment \\$env', 'a b', header)).toBe('a b  $environment $env')
    expect(await render('$env-x', 'a', header)).toBe('a-x')
  })
})

describe('Arguments', () => {
  it('are appended when the body does not use them', async () => {
    expect(await render('Do it.\n\n', 'with "care"')).toBe('Do it.\n\n## Arguments\n\nwith "care"')
  })

  it('are appended when the body uses some of them only', async () => {
    expect(await render('To $0.', 'a b')).toBe('To a.\n\n## Arguments\n\na b')
    expect(await render('To $0 and $1.', 'a b')).toBe('To a and b.')
  })

  it('are not appended when there are none', async () => {
    expect(await render('Do it.', '  ')).toBe('Do it.')
  })

  it.each([
    ["'a b' c", 'a b|c'],
    ['--name="a b" c', '--name=a b|c'],
    ['"" x', '|x'],
    ['a\\ b c', 'a b|c'],
    ['"say \\"hi\\"" x', 'say "hi"|x'],
    ['C:\\temp\\x y', 'C:\\temp\\x|y'],
    ["the user's bug in the team's repo", "the|user's"],
    ['"never closed x', '"never|closed'],
    ['  a \t\n b  ', 'a|b'],
  ])('%j are split as a shell splits, and nothing of them is lost', async (args, expected) => {
    expect((await render('$0|$1', args)).split('\n')[0]).toBe(expected)
  })

  it('are data: nothing in them is a placeholder or a command', async () => {
    const args = '$ARGUMENTS $0 ${SKILL_DIR} \\$1 $& $1 $` !`id`'
    expect(await render('Do: $ARGUMENTS', args)).toBe(`Do: ${args}`)
    expect(await render('Do $0.', '"$ARGUMENTS from yesterday"')).toBe('Do $ARGUMENTS from yesterday.')
  })

  it('never bring in a placeholder, whatever they hold', async () => {
    const piece = fc.oneof(
      fc.constantFrom('$ARGUMENTS', '$ARGUMENTS[0]', '$0', '$1', '$env', '${SKILL_DIR}', '${SESSION_ID}', '\\', '$'),
      fc.constantFrom('"', "'", ' ', '!`id`', '```!', '$&', '$$', '$<name>', '\n', '{', '}', '[0]'),
      fc.string(),
    )
    const args = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => `${pieces.join('')}.`)
    const project = await makeProject({
      'skills/it/SKILL.md': skill('description: D.\narguments: [env]', 'A $ARGUMENTS B ${SESSION_ID} C $env D $0 E\n'),
    })
    const session = (await project.load()).session(sessionRef('session-7'))
    await fc.assert(
      fc.asyncProperty(args, async (typed) => {
        const activation = await session.activate('it', { via: 'model', args: typed })
        const text = activation.skill ? activation.text : ''
        const start = text.indexOf('\n\nA ') + 2
        const head = `A ${typed} B session-7 C `
        expect(text.slice(start, start + head.length)).toBe(head)
        // The first argument stands for both, as it was split; nothing else may appear.
        const rest = text.slice(start + head.length)
        const [, first = ''] = /^([\s\S]*) D \1 E$/.exec(rest) ?? []
        expect(rest).toBe(`${first} D ${first} E`)
        expect(withoutQuoting(typed)).toContain(withoutQuoting(first))
      }),
      { numRuns: 300 },
    )
  })
})

describe('A body that asks for its arguments thousands of times', () => {
  it('is filled in as far as there is room, and stays as it is written behind that', async () => {
    const args = 'x'.repeat(100_000)
    const text = await render('$ARGUMENTS '.repeat(90_000), args)
    expect(text.length).toBeLessThan(6_000_000)
    expect(text.startsWith(args)).toBe(true)
    expect(text.endsWith('$ARGUMENTS')).toBe(true)
  })
})

/** What is left of arguments when quotes, blanks and the \ before them are taken away. */
function withoutQuoting(text: string): string {
  return text.replace(/[\s"'\\]/g, '')
}

describe('Commands in a body', () => {
  it.each(['Branch: !`git branch`', '```!\ngit status\n```'])('%j stay as text, with a notice', async (body) => {
    const text = await render(body)
    expect(text).toContain(body)
    expect(text).toMatch(/\n\nNote: .*None was run/)
  })

  it('are not seen where there are none', async () => {
    for (const body of ['Wow!`code`', 'Use `!important`.', 'a ! b']) expect(await render(body)).toBe(body)
  })
})
