import type { SnapshotEntry, Source, SourceRef } from '@ext/kernel'
import type { Behavior } from '@ext/kernel/contract'
import { type CompiledEntry, readEntryName } from '../config/entry.js'
import type { RuleHost } from '../config/pipeline.js'
import type { CompiledRule } from '../rule/compile.js'
import type { Rule } from '../rule/parse.js'
import { anchorFolder } from '../rule/path.js'
import { likenessOf } from '../rule/tools.js'

/** A rule as lint looks at it. */
export interface LintRule {
  readonly id: string
  readonly effect: Behavior
  /** As it is written, with the blanks around it. */
  readonly text: string
  readonly rule: Rule
  readonly compiled: CompiledRule
  /** What stands in its parentheses. Absent without any, and for tools of other kinds. */
  readonly about?: 'command' | 'path'
  readonly source: SourceRef
  /** Where `/path` starts for it. */
  readonly sourceDir: string
  at(): Source
}

export function lintRulesOf(entries: readonly SnapshotEntry<CompiledEntry>[], host: RuleHost): readonly LintRule[] {
  return entries.flatMap(({ id, name, value, source, at }) =>
    value.kind === 'rule'
      ? [
          {
            id,
            effect: value.effect,
            text: writtenText(value.rule, name),
            rule: value.rule,
            compiled: value.compiledFor(host.cwd),
            ...aboutOf(value.rule, host),
            source,
            sourceDir: anchorFolder(source) ?? host.cwd,
            at: () => at(),
          },
        ]
      : [],
  )
}

/** A rule that is written as a map may have a name; what can be wrong with it is in its parts. */
function writtenText({ text, tool, specifier, kind, params }: Rule, name: string): string {
  if (kind !== undefined) return `${tool}(${specifier ?? ''})`
  return params ? tool : (readEntryName(name)?.text ?? text)
}

function aboutOf({ tool, specifier, kind }: Rule, { tools }: RuleHost): Pick<LintRule, 'about'> {
  if (specifier === undefined) return {}
  if (kind !== undefined) return kind === 'command' || kind === 'path' ? { about: kind } : {}
  const like = likenessOf(tool, tools)
  if (like?.command !== undefined) return { about: 'command' }
  return like?.family === undefined ? {} : { about: 'path' }
}

/** Two rules of one effect and one canonical text mean the same. */
export function canonicalText({ rule: { text, tool, specifier, kind, params }, sourceDir }: LintRule): string {
  // As a map a rule can say what no text can.
  if (kind === 'regex' || params) return JSON.stringify([text, kind, params])
  const named = tool.startsWith('mcp__') ? tool.replace(/__\*$/, '') : tool
  if (specifier === undefined || (specifier === '*' && tool === 'Bash')) return named
  const plain = specifier
    .replace(/\s+/g, ' ')
    .replace(/:\*$/, ' *')
    .replace(/^domain:.*$/, (domain) => domain.toLowerCase().replace(/\s/g, '').replace(/\.$/, ''))
  // Where it starts is part of what it means.
  return `${named}(${plain})${isAnchored(specifier) ? ` at ${sourceDir}` : ''}`
}

function isAnchored(specifier: string): boolean {
  return specifier.startsWith('/') && !specifier.startsWith('//')
}

/** The words of a command pattern, without the wildcard at its end. */
export function patternWords(specifier: string): readonly string[] {
  return specifier
    .replace(/(?:\s|:)\*$/, '')
    .split(/\s+/)
    .filter((word) => word !== '')
}
