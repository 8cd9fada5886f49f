import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ConfigSource, LayerName } from '@ext/kernel'
import { nodeClock, nodeHash } from '@ext/kernel/node'
import { memoryTrustStore } from '@ext/kernel/testing'
import { createTrust, describeSubject, type Trust } from '@ext/kernel/trust'
import { project, type Scene, type Setup, scene } from '../support.js'

export interface TrustScene extends Scene {
  readonly trust: Trust
  readonly layers: readonly ConfigSource[]
}

/** A project of these files with nothing approved; `layers` gets its folder. */
export async function untrusted(
  files: Readonly<Record<string, string>>,
  layers: (root: string) => readonly ConfigSource[],
  setup: Setup = {},
): Promise<TrustScene> {
  const root = setup.root ?? (await project(files))
  const trust = setup.trust ?? (await createTrust({ store: memoryTrustStore(), hash: nodeHash(), clock: nodeClock() }))
  const sources = layers(root)
  return { ...(await scene(sources, { ...setup, root, trust })), trust, layers: sources }
}

/** A person agrees to all that is shown, and the hooks are loaded again. */
export async function approveAll({ hooks, trust, layers }: TrustScene): Promise<void> {
  await trust.approve(trust.pending(hooks.unapproved()))
  await hooks.replace(layers)
}

/** What a person is shown of the hooks that wait. */
export function shown({ hooks, trust }: Pick<TrustScene, 'hooks' | 'trust'>): readonly (readonly string[])[] {
  return trust.pending(hooks.unapproved()).map(describeSubject)
}

export function file(layer: LayerName, dialect: string, path: string): ConfigSource {
  return { kind: 'file', layer, dialect, path }
}

export function value(layer: LayerName, content: unknown, dialect = 'ext'): ConfigSource {
  return { kind: 'value', layer, dialect, name: layer, value: content }
}

export async function change(root: string, name: string, text: string): Promise<void> {
  await writeFile(join(root, name), text, { mode: 0o755 })
}
