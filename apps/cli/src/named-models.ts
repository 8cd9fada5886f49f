import type { Model } from '@ext/agent-core/types'
import { loadModel } from './model.js'

/**
 * The models that agents and skills name. Loaded before the agent is made, for it asks for them in the middle of a turn.
 * @param names as they are written; what names no provider, such as `opus`, is no model of this version
 * @param report hears of those that can't be loaded
 */
export async function namedModels(
  names: Iterable<string>,
  folder: string,
  report: (text: string) => void,
): Promise<(name: string) => Model | undefined> {
  const specs = [...new Set(names)].filter((name) => name.includes(':'))
  const models = new Map<string, Model>()
  for (const spec of specs) {
    const loaded = await loadModel(spec, folder)
    if ('model' in loaded) models.set(spec, loaded.model)
    else report(loaded.problem)
  }
  return (name) => models.get(name)
}
