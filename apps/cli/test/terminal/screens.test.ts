import { describe, expect, test } from 'vitest'
import { boatProject, RELEASE, SERVERS } from './project.js'
import { type TestTerminal, terminal } from './pty.js'
import { toSvg } from './svg.js'

const UP = '\u001b[A'

/** What differs from one time to the next, in as many columns. */
function masked(text: string): string {
  return text.replace(/ *\d+ ms/g, (time) => '120 ms'.padStart(time.length)).replaceAll(process.execPath, 'node')
}

interface Screens {
  readonly start: string
  readonly question: string
  readonly end: string
  readonly t: TestTerminal
}

/** One session from its start to its end, as it is seen at three moments. */
async function play(
  columns: number,
  env: Readonly<Record<string, string>>,
  keep?: (name: string, t: TestTerminal) => void,
): Promise<Screens> {
  const { home, project } = await boatProject(RELEASE, {
    ...SERVERS,
    '.claude/settings.json': JSON.stringify(
      {
        hooks: {
          PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: '.claude/hooks/no-push.sh' }] }],
          PostToolUse: [{ matcher: 'bash', hooks: [{ type: 'command', command: 'true' }] }],
        },
      },
      null,
      2,
    ),
  })
  const t = await terminal(['--trust-project'], { cwd: project, home, columns, rows: 34, env })
  await t.until(/slow: ready with 1 tool\n[\s\S]*2 of 3/)
  t.press('/mcp\r')
  const start = await t.until(/\n3 servers\n/)
  keep?.('start', t)
  t.press('Release Paper Boat 1.2.0.\r')
  const question = await t.until(/└$/)
  keep?.('question', t)
  t.press(`${UP}${UP}\r`)
  const end = await t.until(/1280 tokens\n\n> *\nscripted/)
  keep?.('answer', t)
  t.press('\u0004')
  expect(await t.ended).toBe(0)
  return { start, question, end, t }
}

describe('the screen', () => {
  test.each([
    [80, 'with colour', {}],
    [80, 'without colour', { NO_COLOR: '1' }],
    [40, 'with colour', {}],
    [40, 'without colour', { NO_COLOR: '1' }],
  ] as const)('at %i columns %s', async (columns, colour, env) => {
    const svgs: [string, string][] = []
    const { end, t } = await play(columns, env, (name, at) =>
      svgs.push([name, toSvg(at.emulator, `ext: ${name}`, masked)]),
    )
    // Colours add nothing that the words don’t say, so the text is the same with and without them.
    await expect(`${masked(end)}\n`).toMatchFileSnapshot(`../golden/screen-${columns}.txt`)
    expect(t.coloured).toBe(colour === 'with colour')
    if (columns === 80 && colour === 'with colour')
      for (const [name, svg] of svgs) await expect(svg).toMatchFileSnapshot(`../../screens/${name}.svg`)
  })
})
