import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makeProject, skill } from '../project.js'

const long = 'a'.repeat(65)

/** What is said of the one skill in a folder, without where. */
async function said(folder: string, header: readonly string[]) {
  const project = await makeProject({ [`skills/${folder}/SKILL.md`]: skill(header.join('\n')) })
  const { snapshot, diagnostics } = await project.load()
  const of = snapshot.entries.map(({ name, value }) => [name, value.name, value.description, value.modelInvocable])
  return { of, said: diagnostics.map(({ code, message, hint }) => [code, message, hint]) }
}

describe('A header that says no more than a name and a description', () => {
  it('is judged as one that says more', async () => {
    const name = fc.option(
      fc.constantFrom('deploy', 'Deploy', 'de ploy', '1', 'true', '-', '"deploy"', '""', 'käse', long),
    )
    const description = fc.option(fc.constantFrom('Works.', '"Works."', '" "', '12', 'true', 'null', 'a'.repeat(1025)))
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('deploy', 'käse', '1', long), name, description, async (folder, name, text) => {
        const header = [...(name === null ? [] : [`name: ${name}`]), ...(text === null ? [] : [`description: ${text}`])]
        expect(await said(folder, header)).toEqual(await said(folder, [...header, 'license: MIT']))
      }),
      { numRuns: 150 },
    )
  })
})
