import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Model } from '@ext/agent-core/types'
import { type Diagnostic, messageOf } from '@ext/kernel'

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
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    return { problem: `The script of the model can't be read: ${messageOf(error)}.`, diagnostics: [] }
  }
  const { loadScript, scriptedModel } = await import('@ext/agent-core/scripted')
  const { value, diagnostics } = await loadScript(text, { file })
  if (!value) return { problem: `The script ${file} is broken.`, diagnostics }
  return { model: scriptedModel(value, { id: spec }), diagnostics }
}
