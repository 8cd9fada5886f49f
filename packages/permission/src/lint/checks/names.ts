import { suggest } from '@ext/kernel'
import { compileNameGlob } from '@ext/kernel/match'
import { isGlob, isServerRule } from '../../rule/server.js'
import { knownTool } from '../../rule/tools.js'
import type { LintRule } from '../rules.js'
import { type Check, named } from './check.js'

export const unknownTool: Check = (subject, { knownTools, host }) => {
  const { tool } = subject.rule
  const known = [...knownTools, ...Object.keys(host.tools)]
  if (isServerRule(tool)) return misspeltServer(tool)
  if (isGlob(tool)) return fitsNothing(subject, known)
  if (known.includes(tool)) return undefined
  const typo = suggest(tool, known)
  return {
    code: 'permission.lint.unknown-tool',
    message: `The ${named(subject)} names \`${tool}\`, and no tool is known by this name.`,
    hint: typo
      ? `Did you mean \`${typo}\`?`
      : `Check its spelling; tools of a server are written \`mcp__server__tool\`. If a host brings this tool, nothing is wrong.`,
  }
}

/** `mcp_github_*` and `github.*` are not how tools of servers are called. */
function fitsNothing(subject: LintRule, known: readonly string[]): ReturnType<Check> {
  const { tool } = subject.rule
  const glob = compileNameGlob(tool)
  // What begins with a wildcard may be about any server.
  if (/^[*?]/.test(tool) || known.some((name) => glob.test(name))) return undefined
  return {
    code: 'permission.lint.unknown-tool',
    message: `The ${named(subject)} names tools by \`${tool}\`, and no tool is known that it fits.`,
    hint: 'Tools of a server are written `mcp__server__tool`. If a host brings such tools, nothing is wrong.',
  }
}

/** `mcp__` and `mcp___github` name no server. */
function misspeltServer(tool: string): ReturnType<Check> {
  const text = tool.replace(/^mcp__/, '')
  if (!isServerRule(tool) || (text !== '' && !/^[_.:-]|:/.test(text))) return undefined
  return {
    code: 'permission.lint.unknown-tool',
    message: `\`${tool}\` names no server.`,
    hint: 'Write `mcp__server` for all tools of a server, `mcp__server__tool` for one of them.',
  }
}

const CONSULTED: readonly string[] = ['Read', 'Edit']

/** Claude Code looks at path rules of Read and Edit alone. */
export const neverConsulted: Check = (subject) => {
  const { rule, effect } = subject
  const known = knownTool(rule.tool)
  if (subject.about !== 'path') return undefined
  if (!known?.family || CONSULTED.includes(rule.tool)) return undefined
  const wanted = `${known.family}(${rule.specifier})`
  const here = effect === 'allow' ? `allows \`${rule.tool}\` alone here` : `is read as \`${wanted}\` here`
  return {
    code: 'permission.lint.never-consulted',
    message: `The ${named(subject)} ${here}, and other programs that read this file never consult it: paths count in \`Read\` and \`Edit\` only.`,
    hint: `Write \`${wanted}\`, which holds for every tool that does the like.`,
  }
}
