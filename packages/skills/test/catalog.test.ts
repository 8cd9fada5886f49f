import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { renderCatalog } from '../src/index.js'
import type { Skill } from '../src/types.js'
import { codes, makeProject, sessionRef, skill } from './project.js'

const CHARACTERS_PER_TOKEN = 4

/** The lines of the catalog by name of the skill; what is behind the name, or undefined for a name alone. */
function listed(text: string): ReadonlyMap<string, string | undefined> {
  const lines = text.split('\n').filter((line) => line.startsWith('- '))
  return new Map(
    lines.map((line) => {
      const [, name = '', description] = /^- ([^:]+)(?:: (.*))?$/.exec(line) ?? []
      return [name, description]
    }),
  )
}

async function snapshotOf(descriptions: Readonly<Record<string, string>>) {
  const project = await makeProject(
    Object.fromEntries(
      Object.entries(descriptions).map(([name, text]) => [
        `skills/${name}/SKILL.md`,
        skill(`description: ${JSON.stringify(text)}`),
      ]),
    ),
  )
  return (await project.load()).snapshot
}

describe('The catalog', () => {
  it('lists names and descriptions and nothing of the bodies', async () => {
    const project = await makeProject({
      'skills/notes/SKILL.md': skill('description: |\n  Writes\n  notes.', 'Secret steps.'),
      'skills/deploy/SKILL.md': skill('description: Ships.', 'Secret steps.'),
    })
    const { snapshot } = await project.load()
    const { text, diagnostics } = renderCatalog(snapshot, { tokens: 500 })
    expect(text).toMatch(/load_skill[\s\S]*\n- deploy: Ships\.\n- notes: Writes notes\.$/)
    expect(text).not.toContain('Secret')
    expect(diagnostics).toEqual([])
  })

  it('is the same bytes whichever way the skills are found', async () => {
    const one = await makeProject({
      'skills/x/a/SKILL.md': skill('description: A.'),
      'skills/b/SKILL.md': skill('description: B.'),
    })
    const other = await makeProject({
      'home/a/SKILL.md': skill('description: A.'),
      'skills/b/SKILL.md': skill('description: B.'),
    })
    const first = await one.load()
    const second = await other.load({ layers: [other.source('skills'), other.source('home', 'user')] })
    expect(renderCatalog(second.snapshot, { tokens: 500 })).toEqual(renderCatalog(first.snapshot, { tokens: 500 }))
  })

  it('is empty without skills', async () => {
    expect(renderCatalog(await snapshotOf({}), { tokens: 500 })).toEqual({
      text: '',
      leavesOut: false,
      diagnostics: [],
    })
  })

  it('refuses a budget that is no number from 0 up', async () => {
    const snapshot = await snapshotOf({})
    for (const tokens of [-1, Number.NaN]) {
      expect(() => renderCatalog(snapshot, { tokens })).toThrow(
        expect.objectContaining({ code: 'skills.options.tokens' }),
      )
    }
    const project = await makeProject()
    await expect(project.load({ catalogTokens: -1 })).rejects.toMatchObject({ code: 'skills.options.tokens' })
  })
})

describe('Over budget', () => {
  const long = 'Ships the service to production. Checks the health of it afterwards. Writes a note to the team.'

  it('shortens descriptions in proportion, at the end of a sentence, and reports each', async () => {
    const snapshot = await snapshotOf({ a: long, b: long, c: 'Short.' })
    const { text, diagnostics } = renderCatalog(snapshot, { tokens: 85 })
    const lines = listed(text)
    const expected = 'Ships the service to production. Checks the health of it afterwards.'
    expect([lines.get('a'), lines.get('b')]).toEqual([expected, expected])
    expect(codes(diagnostics)).toContain('skills.catalog.shortened')
    expect(diagnostics[0]).toMatchObject({
      severity: 'info',
      message: `\`a\` is listed to the model with ${expected.length} of ${long.length} characters: the catalog is full.`,
      source: { line: 2, column: 14 },
    })
  })

  it('shortens at a word when no sentence ends near', async () => {
    const sentence = 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen'
    const { text } = renderCatalog(await snapshotOf({ a: sentence }), { tokens: 54 })
    const shown = listed(text).get('a') ?? ''
    expect(shown).toMatch(/^one two three .* \w+…$/)
    expect(sentence.startsWith(shown.slice(0, -1))).toBe(true)
    expect(sentence[shown.length - 1]).toBe(' ')
  })

  it('then lists names only', async () => {
    const snapshot = await snapshotOf({ a: long, b: long, c: long })
    const { text, diagnostics } = renderCatalog(snapshot, { tokens: 48 })
    expect([...listed(text)]).toEqual([
      ['a', undefined],
      ['b', undefined],
      ['c', undefined],
    ])
    expect(codes(diagnostics)).toEqual(Array(3).fill('skills.catalog.name-only'))
  })

  it('then leaves out skills of the farthest layers, and tells the model that there are more', async () => {
    const users = Array.from({ length: 12 }, (_, index) => `a-user-skill-${index + 10}`)
    const project = await makeProject({
      'skills/zzz/SKILL.md': skill(`description: ${long}`),
      ...Object.fromEntries(users.map((name) => [`home/${name}/SKILL.md`, skill(`description: ${long}`)])),
    })
    const layers = [project.source('home', 'user'), project.source('skills')]
    const { snapshot } = await project.load({ layers })
    const { text, diagnostics } = renderCatalog(snapshot, { tokens: 88 })
    expect([...listed(text).keys()]).toEqual([...users.slice(0, 5), 'zzz'])
    expect(text).toMatch(/\n- zzz\n\nThere are more skills than are listed here\. Find them .* `search_skills`\.$/)
    const omitted = diagnostics.filter(({ code }) => code === 'skills.catalog.omitted')
    expect(omitted).toHaveLength(7)
    expect(omitted[0]).toMatchObject({
      severity: 'warning',
      source: { file: project.path('home/a-user-skill-15/SKILL.md') },
    })
    expect(diagnostics).toHaveLength(13)
  })

  it('does not ask of every one of thousands of skills whether it is hidden', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `skill-${String(index).padStart(3, '0')}`)
    const snapshot = await snapshotOf(Object.fromEntries(names.map((name) => [name, long])))
    const asked: string[] = []
    const hides = ({ name }: Skill) => {
      asked.push(name)
      return name === 'skill-001'
    }
    const catalog = renderCatalog(snapshot, { tokens: 100, hides })
    expect([...listed(catalog.text).keys()].slice(0, 2)).toEqual(['skill-000', 'skill-002'])
    expect(asked.length).toBeLessThan(30)
    expect(catalog.diagnostics).toHaveLength(299)
  })

  it('renders nothing when not one name fits', async () => {
    const { text, diagnostics } = renderCatalog(await snapshotOf({ a: long }), { tokens: 0 })
    expect(text).toBe('')
    expect(codes(diagnostics)).toEqual(['skills.catalog.omitted'])
  })

  it('keeps to `catalogTokens` in a session and reports through `diagnostics`', async () => {
    const project = await makeProject({ 'skills/a/SKILL.md': skill(`description: ${long.repeat(8)}`) })
    const skills = await project.load({ catalogTokens: 100 })
    const [block] = skills.session(sessionRef()).context()
    expect(block?.text.length).toBeLessThanOrEqual(400)
    expect(codes(skills.diagnostics)).toEqual(['skills.catalog.shortened'])
    expect(codes((await project.load()).diagnostics)).toEqual([])
  })

  it.each([
    ['description', `description: ${'word '.repeat(20_000)}`],
    ['when_to_use', `description: D.\nwhen_to_use: ${'word '.repeat(20_000)}`],
    ['argument-hint', `description: D.\nargument-hint: "${'word '.repeat(20_000)}"`],
  ])('leaves the others their descriptions when one skill has an endless %s', async (_field, header) => {
    const others = Array.from({ length: 20 }, (_, index) => [`s${index}`, skill(`description: ${long}`)] as const)
    const files = [...others, ['endless', skill(header)] as const].map(([name, text]) => [
      `skills/${name}/SKILL.md`,
      text,
    ])
    const skills = await (await makeProject(Object.fromEntries(files))).load()
    const [block] = skills.session(sessionRef()).context()
    expect([...listed(block?.text ?? '').values()].filter((line) => line === long)).toHaveLength(20)
    expect(skills.diagnostics.filter(({ code }) => code.startsWith('skills.catalog'))).toMatchObject([
      { code: 'skills.catalog.shortened', source: { file: expect.stringContaining('endless') } },
    ])
  })

  it('never exceeds the budget, never splits a character, and accounts for every skill', async () => {
    const sentence = fc.stringMatching(/^[a-z ]{0,60}[.!?。]$/)
    const description = fc
      .array(fc.oneof(sentence, fc.constant('𠀀𠀁𠀂𠀃。'), fc.constant('word '.repeat(30))), {
        minLength: 1,
        maxLength: 6,
      })
      .map((parts) => `D ${parts.join(' ')}`)
    const descriptions = fc.dictionary(fc.stringMatching(/^[a-z]{1,12}$/), description, { minKeys: 1, maxKeys: 12 })
    await fc.assert(
      fc.asyncProperty(descriptions, async (all) => {
        const snapshot = await snapshotOf(all)
        for (const tokens of [0, 45, 50, 60, 80, 120, 250, 1000]) {
          const { text, diagnostics } = renderCatalog(snapshot, { tokens })
          expect(text.length).toBeLessThanOrEqual(tokens * CHARACTERS_PER_TOKEN)
          expect(text).not.toMatch(/\p{Cs}/u)
          const lines = listed(text)
          const said = new Map(diagnostics.map(({ source, code }) => [source.file, code]))
          for (const { value } of snapshot.entries) {
            const full = value.description.replace(/\s+/g, ' ').trim()
            const line = lines.get(value.name)
            const expected = !lines.has(value.name)
              ? 'skills.catalog.omitted'
              : line === undefined
                ? 'skills.catalog.name-only'
                : line === full
                  ? undefined
                  : 'skills.catalog.shortened'
            expect(said.get(value.file)).toBe(expected)
            if (line !== undefined) expect(full.startsWith(line.replace(/…$/, ''))).toBe(true)
          }
        }
      }),
      { numRuns: 60 },
    )
  })
})
