import { formatPlace } from '@ext/kernel'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codes, makeProject, names, sessionRef, skill } from './project.js'

describe('A broken SKILL.md costs itself only, and its diagnostic says where and how to fix it', () => {
  it.each([
    ['the closing fence is missing', '---\nname: bad\ndescription: D.\n', 'frontmatter.unclosed', 1, 1],
    ['there is no header', '# Bad\n', 'frontmatter.missing', 1, 1],
    ['its lines end with CR alone', '---\rdescription: D.\r---\r', 'frontmatter.missing', 1, 1],
    ['it is empty', '', 'frontmatter.missing', 1, 1],
    ['the header names a language', '---js\nmodule.exports = {}\n---\n', 'frontmatter.engine', 1, 1],
    ['a quote is not closed', skill('description: "D.'), 'config.syntax.yaml', 3, 1],
    ['a list holds an unquoted colon', skill('description: D.\nmetadata:\n  - a: b: c'), 'config.syntax.yaml', 4, 8],
    ['a tab indents', skill('description: D.\nmetadata:\n\ta: b'), 'config.syntax.yaml', 4, 1],
    ['the header is a list', skill('- a\n- b'), 'config.shape', 2, 1],
    ['the header has no field', '---\n---\nText.\n', 'schema.required', undefined, undefined],
    ['a key stands twice', skill('description: A.\ndescription: B.'), 'config.syntax.yaml', 3, 1],
    ['the name is a number', skill('name: 7\ndescription: D.'), 'schema.type', 2, 7],
  ])('when %s', async (_what, text, code, line, column) => {
    const project = await makeProject({
      'skills/bad/SKILL.md': text,
      'skills/good/SKILL.md': skill('description: Works.'),
    })
    const skills = await project.load()
    expect(names(skills)).toEqual(['good'])
    const [diagnostic, ...others] = skills.diagnostics
    expect(others).toEqual([])
    expect(diagnostic).toMatchObject({ code, severity: 'error', hint: expect.stringMatching(/\S/) })
    expect(diagnostic?.source).toMatchObject({
      file: project.path('skills/bad/SKILL.md'),
      ...(line === undefined ? {} : { line, column }),
    })
    const record = skills.snapshot.records.find(({ verdict }) => verdict === 'broken')
    expect(record).toMatchObject({ axis: 'skills', name: project.path('skills/bad/SKILL.md') })
    expect(diagnostic?.entry).toBe(record?.id)
    // Whoever asks for it hears the same, and not that there is no such skill.
    const refused = {
      code: 'skills.unreadable',
      problem: `The skill \`bad\` can't be used: ${formatPlace(diagnostic?.source ?? { layer: 'user' })}: ${diagnostic?.message}`,
      hint: diagnostic?.hint,
    }
    expect(skills.lookUp('bad', 'user')).toMatchObject(refused)
    expect(await skills.session(sessionRef()).activate('BAD', { via: 'model' })).toMatchObject({
      code: 'skills.unreadable',
      hint: refused.hint,
    })
  })

  it('when a text holds an unquoted colon next to a limit, for nothing is guessed there', async () => {
    const header = 'description: Use for two: a and b\ndisallowedTools: Bash'
    const project = await makeProject({
      'skills/bad/SKILL.md': skill(header),
      'skills/good/SKILL.md': skill('description: Works.'),
    })
    const skills = await project.load()
    expect(names(skills)).toEqual(['good'])
    expect(codes(skills.diagnostics)).toEqual(['config.syntax.yaml', 'frontmatter.rescue-refused'])
  })

  it('but a text with an unquoted colon alone is read, with a warning', async () => {
    const project = await makeProject({ 'skills/one/SKILL.md': skill('description: Use for two: a and b') })
    const skills = await project.load()
    expect(names(skills)).toEqual(['one'])
    expect(skills.diagnostics).toMatchObject([
      {
        code: 'frontmatter.rescued',
        severity: 'warning',
        hint: "Write description: 'Use for two: a and b'",
        source: { line: 2, column: 14 },
      },
    ])
  })

  it('when it is not UTF-8', async () => {
    const { writeFile } = await import('node:fs/promises')
    const project = await makeProject({ 'skills/bad/SKILL.md': '', 'skills/good/SKILL.md': skill('description: W.') })
    await writeFile(project.path('skills/bad/SKILL.md'), new Uint8Array([0x2d, 0xff, 0xfe]))
    const skills = await project.load()
    expect(names(skills)).toEqual(['good'])
    expect(codes(skills.diagnostics)).toEqual(['config.file.not-utf8'])
  })

  it('when a folder is called SKILL.md', async () => {
    const project = await makeProject({
      'skills/bad/SKILL.md/x.txt': '',
      'skills/good/SKILL.md': skill('description: Works.'),
    })
    const skills = await project.load()
    expect(names(skills)).toEqual(['good'])
    expect(codes(skills.diagnostics)).toEqual(['config.file.not-a-file'])
  })
})

describe('What looks odd is read all the same', () => {
  it.each([
    ['CRLF', '---\r\nname: odd\r\ndescription: D.\r\n---\r\nBody.\r\n'],
    ['a byte order mark', `\uFEFF${skill('name: odd\ndescription: D.')}`],
    ['two byte order marks', `\uFEFF\uFEFF${skill('name: odd\ndescription: D.')}`],
    ['--- inside a block scalar', skill('name: odd\ndescription: |\n  a\n  ---\n  b')],
    ['--- inside a value', skill('name: odd\ndescription: a --- b')],
    ['an empty line in a block scalar', skill('name: odd\ndescription: |\n  a\n\n  b')],
    ['no body', '---\nname: odd\ndescription: D.\n---'],
  ])('%s', async (_what, text) => {
    const project = await makeProject({ 'skills/odd/SKILL.md': text })
    const skills = await project.load()
    expect(skills.diagnostics).toEqual([])
    expect(names(skills)).toEqual(['odd'])
  })

  it('reports the place in the file with a byte order mark and CRLF', async () => {
    const project = await makeProject({ 'skills/a/SKILL.md': '\uFEFF---\r\nname: a\r\ndescription: 7\r\n---\r\n' })
    expect((await project.load()).diagnostics).toMatchObject([{ source: { line: 3, column: 14 } }])
  })
})

describe('A header of thousands of unknown fields', () => {
  it('is read in no more time than it takes to speak of each of them', async () => {
    const fields = Array.from({ length: 8000 }, (_, index) => `field${index}: x`)
    const project = await makeProject({ 'skills/odd/SKILL.md': skill(`description: D.\n${fields.join('\n')}`) })
    const { diagnostics } = await project.load()
    expect(diagnostics).toHaveLength(fields.length)
    expect(diagnostics.at(-1)?.source).toMatchObject({ line: fields.length + 2, column: 1 })
  })
})

describe('Nothing is lost', () => {
  const line = fc.oneof(
    fc.constantFrom(
      '---',
      '--- ',
      'name: alpha',
      'name: Beta',
      'name: "a b"',
      'name: [x]',
      'description: Something.',
      'description: ""',
      'description: a: b',
      'description: |',
      '  indented',
      '\tindented',
      'disable-model-invocation: maybe',
      'user-invocable: no',
      'restrict: []',
      'context: fork',
      'allowed-tools: Read',
      'arguments: [a, 7, null]',
      'metadata: &m {a: *m}',
      'unknown: {a: [1, 2',
      '- item',
      '? key',
      '"',
    ),
    fc.string(),
    fc.string({ unit: 'binary' }),
  )
  const document = fc
    .tuple(fc.constantFrom('', '\uFEFF'), fc.constantFrom('\n', '\r\n'), fc.array(line, { maxLength: 8 }), fc.boolean())
    .map(([start, end, lines, fenced]) => start + (fenced ? ['---', ...lines, '---'] : lines).join(end))

  it('every file that is found is loaded, replaced by another, or has an error of its own', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(document, { minLength: 1, maxLength: 6 }), async (documents) => {
        const files = Object.fromEntries(documents.map((text, index) => [`skills/s${index}/SKILL.md`, text]))
        const project = await makeProject(files)
        const { snapshot } = await project.load()
        expect(snapshot.records).toHaveLength(documents.length)
        expect(new Set(snapshot.records.map(({ id }) => id)).size).toBe(documents.length)
        const errors = new Set(
          snapshot.diagnostics.filter(({ severity }) => severity === 'error').map(({ entry }) => entry),
        )
        for (const { id, verdict } of snapshot.records) {
          expect(errors.has(id), `${verdict} and an error`).toBe(verdict === 'broken')
        }
        expect(snapshot.entries).toHaveLength(snapshot.records.filter(({ verdict }) => verdict === 'loaded').length)
      }),
      { numRuns: 150 },
    )
  })
})
