import { canonicalJson, type HostPorts, type SourceRef } from '@ext/kernel'
import type { ToolTable } from '@ext/kernel/contract'
import { type PathAnchors, samenessOfNames } from '@ext/kernel/match'
import { anchorFolder, compileRule, parseRule } from '@ext/permission/rule'
import type { WrittenCondition } from '../config/condition.js'
import { compileFields } from './fields.js'
import type { Subject } from './subject.js'

/** The `if` of a hook. */
export interface Condition {
  /** As written; conditions on fields as JSON. */
  readonly text: string
  /** Pure and synchronous, so it is decided before anything is started. */
  fits(subject: Subject): boolean
}

export interface ConditionContext {
  readonly root: string
  readonly tools: ToolTable
  readonly ports: Pick<HostPorts, 'home' | 'platform'>
}

/**
 * Compiles an `if`. Events are read as widely as can be: what can't be analysed fits, since a guard that runs too often
 * is noticed and one that is silently passed is not.
 * @returns `problem` with a condition: a part of the rule has no meaning, and it fits every call of its tools; without
 * one: it can't be used at all
 */
export function compileCondition(
  written: WrittenCondition,
  source: SourceRef,
  { root, tools, ports }: ConditionContext,
): { readonly condition?: Condition; readonly problem?: string } {
  const anchorsAt = (cwd: string): PathAnchors => ({
    cwd,
    home: ports.home,
    sourceDir: anchorFolder(source) ?? root,
    ...samenessOfNames(ports.platform),
  })
  if (typeof written !== 'string') {
    const fieldsAt = perFolder((cwd) => compileFields(written, anchorsAt(cwd)))
    const { problem } = fieldsAt(root)
    if (problem !== undefined) return { problem }
    // Whether it compiles does not depend on the folder.
    const fits = (subject: Subject) => fieldsAt(subject.cwd).test?.(subject.payload) ?? true
    return { condition: { text: canonicalJson(written), fits } }
  }
  const { rule, problem } = parseRule(written)
  if (!rule) return { problem }
  const ruleAt = perFolder((cwd) => compileRule(rule, { effect: 'condition', anchors: anchorsAt(cwd), tools }))
  const condition: Condition = { text: written, fits: (subject) => subject.fits(ruleAt(subject.cwd)) }
  const meaning = ruleAt(root).problem
  return meaning ? { condition, problem: meaning.problem } : { condition }
}

/** Relative paths mean something else in another folder. Sessions rarely have different ones. */
function perFolder<T>(compile: (cwd: string) => T): (cwd: string) => T {
  let last: { readonly cwd: string; readonly value: T } | undefined
  return (cwd) => {
    if (last?.cwd !== cwd) last = { cwd, value: compile(cwd) }
    return last.value
  }
}
