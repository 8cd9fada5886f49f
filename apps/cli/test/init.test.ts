import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseDocument } from '@ext/kernel'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { SECTIONS } from '../src/config.js'
import { demoProject, ext, temporaryFolder } from './bin.js'

const schemaFile = new URL('../dist/config.schema.json', import.meta.url)

async function validateConfig(file: string) {
  const ajv = new Ajv2020({
    allErrors: true,
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    discriminator: true,
  })
  const validate = ajv.compile(JSON.parse(await readFile(schemaFile, 'utf8')))
  const text = await readFile(file, 'utf8')
  const { document } = await parseDocument(text, 'yaml', { layer: 'project', dialect: 'ext', file })
  validate(document?.value)
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

describe('ext init', () => {
  it('writes a configuration that an editor can complete, the schema accepts and the doctor finds nothing in', async () => {
    const project = await temporaryFolder()
    const { code } = await ext(['init', '--project', project])
    expect(code).toBe(0)
    const file = join(project, '.ext/config.yaml')
    const schema = /^# yaml-language-server: \$schema=(.+)$/m.exec(await readFile(file, 'utf8'))?.[1] ?? ''
    expect(resolve(join(project, '.ext'), schema)).toBe(new URL(schemaFile).pathname)
    expect(await validateConfig(file)).toEqual([])
    const doctor = await ext(['doctor', '--project', project, '--trust-project'])
    expect(doctor.stdout).toContain('0 errors, 0 warnings')
  })

  it('has examples in its comments that are right, too', async () => {
    const project = await temporaryFolder()
    await ext(['init', '--project', project])
    const file = join(project, '.ext/config.yaml')
    const lines = (await readFile(file, 'utf8')).split('\n')
    await writeFile(
      file,
      lines.map((line) => line.replace(/^# (?=mcpServers:|models:|hooks:|skills:|agents:|compat:| )/, '')).join('\n'),
    )
    expect(await validateConfig(file)).toEqual([])
    const { stdout } = await ext(['doctor', '--project', project, '--trust-project', '--json'])
    const report = JSON.parse(stdout) as { entries: { axis: string; verdict: string }[]; summary: { errors: number } }
    expect(report.summary.errors).toBe(0)
    expect(new Set(report.entries.map(({ axis }) => axis))).toEqual(
      new Set(['compat', 'models', 'servers', 'hooks', 'skill-settings', 'agent-settings', 'permissions']),
    )
  })

  it('leaves a file that is there as it is', async () => {
    const project = await temporaryFolder()
    await mkdir(join(project, '.ext'))
    await writeFile(join(project, '.ext/config.yaml'), 'mine: true\n')
    const { code, stderr } = await ext(['init', '--project', project])
    expect(code).toBe(1)
    expect(stderr).toContain('stays as it is')
    expect(await readFile(join(project, '.ext/config.yaml'), 'utf8')).toBe('mine: true\n')
  })
})

describe('the schema of the configuration', () => {
  it('knows the sections that are read, and no others', async () => {
    const { properties } = JSON.parse(await readFile(schemaFile, 'utf8')) as { properties: object }
    expect(Object.keys(properties).toSorted()).toEqual([...SECTIONS].toSorted())
  })

  it("accepts the demo's configuration", async () => {
    expect(await validateConfig(join(await demoProject(), '.ext/config.yaml'))).toEqual([])
  })

  it('refuses what the packages refuse, at every level', async () => {
    const file = join(await temporaryFolder(), 'config.yaml')
    await writeFile(
      file,
      'permisions: {}\nmcpServers: { a: { comand: x } }\nhooks: [{ event: Stop, action: { type: command } }]\npermissions: { deny: [1] }\n',
    )
    expect((await validateConfig(file)).sort()).toEqual([
      ' must NOT have additional properties',
      "/hooks/0/action must have required property 'command'",
      '/mcpServers/a must NOT have additional properties',
      "/mcpServers/a must have required property 'command'",
      "/mcpServers/a must have required property 'url'",
      '/mcpServers/a must match "else" schema',
      '/mcpServers/a must match a schema in anyOf',
      '/permissions/deny/0 must be string',
    ])
  })
})
