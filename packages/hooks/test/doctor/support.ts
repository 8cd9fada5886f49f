import { readFileSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import type { ConfigSource, Diagnostic } from '@ext/kernel'
import type { DoctorReport } from '../../src/types.js'
import { load, project } from '../support.js'

/** A hook with the files that it needs. */
export interface Specimen {
  readonly id: string
  readonly ext?: Readonly<Record<string, unknown>>
  readonly claude?: { event: string; matcher?: string; handler?: unknown; raw?: unknown }
  readonly files?: Readonly<Record<string, string>>
  /** The files may not be executed. */
  readonly plain?: true
  readonly twice?: true
  /** The file switches it off. */
  readonly disabled?: true
}

/** One that has a fault. */
export interface Fault extends Specimen {
  readonly kind: string
  /** Code of the finding that names it. */
  readonly expects: string
}

export function readLines<T>(name: string): readonly T[] {
  const text = readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

export const faults: readonly Fault[] = readLines('hook-faults.jsonl')

export async function examine({ ext, claude, files = {}, plain, twice, disabled }: Specimen): Promise<DoctorReport> {
  const root = await project(files)
  if (plain) for (const file of Object.keys(files)) await chmod(`${root}/${file}`, 0o644)
  const { event = '', raw, handler, ...group } = claude ?? {}
  const value = claude
    ? { hooks: { [event]: raw ?? [{ ...group, hooks: [handler] }] } }
    : { hooks: twice ? [ext, ext] : [ext], ...(disabled ? { disabledHooks: [ext?.['name']] } : {}) }
  const layer: ConfigSource = {
    kind: 'value',
    layer: 'user',
    dialect: claude ? 'claude-settings' : 'ext',
    name: 'faults',
    value,
  }
  const hooks = await load([layer], {
    root,
    knownTools: () => ['Bash', 'load_skill', 'agent'],
    ports: { env: { PATH: process.env['PATH'], CANARY_SECRET: 'x' } },
  })
  return hooks.doctor()
}

export function findings({ hooks, others }: DoctorReport): readonly Diagnostic[] {
  return [...hooks.flatMap(({ reasons }) => reasons), ...others]
}
