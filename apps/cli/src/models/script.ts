import type { Model } from '@ext/agent-core/types'
import type { Diagnostic, FilesPort } from '@ext/kernel'
import { describeSpec, type ScriptedSpec } from './spec.js'

export type OpenedScript =
  | { readonly model: Model; readonly diagnostics: readonly Diagnostic[] }
  | { readonly problem: string; readonly hint: string; readonly diagnostics: readonly Diagnostic[] }

export async function openScript(spec: ScriptedSpec, files: FilesPort): Promise<OpenedScript> {
  const { file } = spec
  const hint = 'Name a script that exists and is well formed: scripted:FILE.'
  const read = await files.readText(file)
  if (read.failure) return { problem: `The script ${file} can't be read: ${read.message}`, hint, diagnostics: [] }
  const { loadScript, scriptedModel } = await import('@ext/agent-core/scripted')
  const { value, diagnostics } = await loadScript(read.text, { file })
  if (!value) return { problem: `The script ${file} is broken.`, hint, diagnostics }
  return { model: scriptedModel(value, { id: describeSpec(spec) }), diagnostics }
}
