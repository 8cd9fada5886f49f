import { type PathAnchors, resolvePath } from '@ext/kernel/match'
import type { RuleHost } from '../config/pipeline.js'
import type { RuleCall } from '../rule/reading.js'
import { likenessOf } from '../rule/tools.js'
import type { LintRule } from './rules.js'

/** Stands for whatever a wildcard may stand for: nobody names it, so only another wildcard can match it. */
const ANYTHING = 'qzxj'

/**
 * Calls that a rule speaks about, so many and so unlike that another rule which speaks about all of them speaks about
 * everything that the rule does. None where that can't be said.
 */
export function samplesOf(
  { rule: { tool, specifier }, sourceDir, compiled }: LintRule,
  host: RuleHost,
): readonly RuleCall[] {
  if (compiled.problem || /[*?]/.test(tool)) return []
  if (tool.startsWith('mcp__')) {
    const [, server = '', own = ANYTHING] = /^mcp__(.+?)(?:__(.+))?$/.exec(tool) ?? []
    return [{ tool: { name: `mcp__${server}__${own}`, source: { server, tool: own } }, input: {} }]
  }
  const call = (input: Readonly<Record<string, unknown>>): RuleCall => ({
    tool: { name: tool, source: { tool } },
    input,
  })
  const like = likenessOf(tool, host.tools)
  if (like?.command !== undefined) {
    const field = like.command
    return commandsOf(specifier ?? '*').map((command) => call({ [field]: command }))
  }
  const [path] = [like?.path ?? []].flat()
  if (path !== undefined) {
    return pathsOf(specifier ?? '//**', { ...host, sourceDir }).map((each) => call({ [path]: each }))
  }
  if (like?.url !== undefined) {
    const [, domain = specifier === undefined ? `${ANYTHING}.${ANYTHING}` : ''] =
      /^domain:(.+)$/.exec(specifier ?? '') ?? []
    return domain === '' ? [] : [call({ [like.url]: `https://${domain.trim().replaceAll('*', ANYTHING)}/` })]
  }
  const target = like?.target?.[0]
  if (specifier === undefined) return [call(target === undefined ? {} : { [target]: ANYTHING })]
  return []
}

function commandsOf(specifier: string): readonly string[] {
  // What the shell reads as more than words is not compared.
  if (/[|&;<>()$`\\{}?[\]'"#\n]/.test(specifier)) return []
  const text = specifier.trim()
  const boundary = /(?:^|[ :])\*$/.test(text)
  const start = text.replace(boundary ? /[ :]?\*$/ : /$^/, '').replaceAll('*', ANYTHING)
  if (boundary)
    return [start, `${start} ${ANYTHING}`, `${start} --${ANYTHING} ${ANYTHING}`].filter((line) => line !== '')
  return text.endsWith('*') ? [start.slice(0, -ANYTHING.length), start, `${start} ${ANYTHING}`] : [start]
}

function pathsOf(pattern: string, anchors: PathAnchors): readonly string[] {
  if (/[[\]{}\\!]/.test(pattern)) return []
  const filled = pattern.replace(/\*\*/g, `${ANYTHING}/${ANYTHING}`).replace(/\*/g, ANYTHING).replace(/\?/g, 'q')
  const shallow = pattern.replace(/\*\*/g, ANYTHING).replace(/\*/g, ANYTHING).replace(/\?/g, 'q')
  return [filled, shallow].flatMap((text) => {
    const base = text.startsWith('//')
      ? text.slice(1)
      : text.startsWith('/')
        ? `${anchors.sourceDir}${text}`
        : resolvePath(text, anchors)
    // Without a slash within, a name is meant at any depth.
    const anyDepth = /^[^~/.][^/]*$|^\.[^/]+$/.test(pattern)
    return [base, ...(anyDepth ? [`${anchors.cwd}/${ANYTHING}/${text}`] : [])]
  })
}
