import { resolve } from 'node:path'
import type { Model } from '@ext/agent-core/types'
import type { Diagnostic } from '@ext/kernel'
import { nodeFiles } from '@ext/kernel/node'

export type LoadedModel =
  | { readonly model: Model; readonly diagnostics: readonly Diagnostic[] }
  | { readonly problem: string; readonly diagnostics: readonly Diagnostic[] }

/** Turns `provider:name` into a model. This version knows one provider, `scripted:FILE`. */
export async function loadModel(spec: string, folder: string): Promise<LoadedModel> {
  const colon = spec.indexOf(':')
  const provider = spec.slice(0, Math.max(colon, 0))
  if (provider !== 'scripted') {
    return {
      problem: `The model \`${spec}\` can't be used: this version has the scripted model only. Write scripted:FILE.`,
      diagnostics: [],
    }
  }
  const file = resolve(folder, spec.slice(colon + 1))
  const read = await nodeFiles().readText(file)
  if (read.failure) {
    return { problem: `The script ${file} can't be read: ${read.message}`, diagnostics: [] }
  }
  const { loadScript, scriptedModel } = await import('@ext/agent-core/scripted')
  const { value, diagnostics } = await loadScript(read.text, { file })
  if (!value) return { problem: `The script ${file} is broken.`, diagnostics }
  return { model: scriptedModel(value, { id: spec }), diagnostics }
}
