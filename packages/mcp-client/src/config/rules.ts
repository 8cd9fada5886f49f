import { isMap, joinPointer } from '@ext/kernel'
import { anyOf, compileNameGlob, type Matcher } from '@ext/kernel/match'
import type { PerTool, ToolRules } from './entry.js'
import { type Parts, present } from './parts.js'

/** Reads which tools are offered. */
export function readRules(parts: Parts): ToolRules {
  return {
    ...present({ allow: readNames(parts, '/tools/allow'), deny: readNames(parts, '/tools/deny') }),
    perTool: readPerTool(parts),
  }
}

function readNames(parts: Parts, pointer: string): Matcher | undefined {
  const written = parts.at(pointer)
  if (typeof written !== 'string' && !Array.isArray(written)) return undefined
  const names = [written].flat().filter((name): name is string => typeof name === 'string')
  return anyOf(names.map(compileNameGlob))
}

function readPerTool(parts: Parts): readonly PerTool[] {
  const written = parts.at('/tools/perTool')
  return Object.entries(isMap(written) ? written : {}).map(([name, settings]) => {
    const readOnly = isMap(settings) ? settings['readOnly'] : undefined
    return {
      tool: compileNameGlob(name),
      ...present({
        callMs: parts.duration(joinPointer('/tools/perTool', name, 'timeout')),
        readOnly: typeof readOnly === 'boolean' ? readOnly : undefined,
      }),
    }
  })
}
