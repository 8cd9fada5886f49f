import type { Diagnostic } from '@ext/kernel'
import type { CompiledHook } from '../compile.js'
import { events } from '../events.js'
import type { ListedHook } from '../list.js'
import { parseMatcher } from '../match/matcher.js'

/**
 * Whether a hook can take effect.
 * - `can-fire`: there are events that it runs for
 * - `always`: it runs, but its matcher or `if` holds nothing back
 * - `never`: no event makes it run, or it fails whenever one does
 * - `untrusted`: it waits for approval · `unsupported`: this host has nothing that fires or runs it
 */
export type HookEffect = 'can-fire' | 'always' | 'never' | 'untrusted' | 'unsupported'

/** What keeps a hook from taking effect: nothing makes it run, or it can't do its work whenever something does. */
export type HookFault = 'never fires' | 'cannot run'

const NOT_FIRED = 'hooks.event.not-fired'

const UNSUPPORTED: readonly string[] = [NOT_FIRED, 'hooks.action.unsupported', 'hooks.action.host']

/** What makes a hook fail whenever it runs. */
const USELESS: readonly string[] = [
  'hooks.script.missing',
  'hooks.script.not-executable',
  'hooks.script.line-ends',
  'hooks.program.missing',
]

const UNBOUND: readonly string[] = ['hooks.if.invalid', 'hooks.matcher.ignored']

export function effectOf(
  { verdict }: ListedHook,
  hook: CompiledHook | undefined,
  reasons: readonly Diagnostic[],
  toolNames: readonly string[] | undefined,
): HookEffect {
  const has = (codes: readonly string[]) => reasons.some(({ code }) => codes.includes(code))
  if (has(UNSUPPORTED)) return 'unsupported'
  if (verdict === 'untrusted') return 'untrusted'
  if (!hook || has(USELESS) || fitsNothing(hook, toolNames) || neverHolds(hook, reasons)) return 'never'
  return has(UNBOUND) || matchesAll(hook) ? 'always' : 'can-fire'
}

/** Of a hook that is loaded and never takes effect all the same, or that is well formed and nothing here fires or runs. */
export function faultOf(
  { verdict }: ListedHook,
  effect: HookEffect,
  reasons: readonly Diagnostic[],
): HookFault | undefined {
  if (verdict !== 'loaded' && verdict !== 'broken') return undefined
  const has = (codes: readonly string[]) => reasons.some(({ code }) => codes.includes(code))
  if (effect === 'unsupported') return has([NOT_FIRED]) ? 'never fires' : 'cannot run'
  if (effect === 'never' && verdict === 'loaded') return has(USELESS) ? 'cannot run' : 'never fires'
  return undefined
}

function fitsNothing({ event, matcher }: CompiledHook, toolNames: readonly string[] | undefined): boolean {
  const { matcherField, subjects } = events[event]
  const known = subjects ?? (matcherField === 'tool_name' ? toolNames : undefined)
  return known !== undefined && known.length > 0 && !known.some((name) => matcher.test(name))
}

/** Whether its conditions ask for what the event never has. */
function neverHolds({ written: { condition } }: CompiledHook, reasons: readonly Diagnostic[]): boolean {
  if (typeof condition !== 'object') return false
  const absent = reasons.filter(
    ({ code, message }) => code === 'hooks.if.absent-field' && message.includes('never holds'),
  )
  return condition.join === 'all_of' ? absent.length > 0 : absent.length === condition.atoms.length
}

/** Whether a regular expression matches whatever comes, though one is written. */
function matchesAll({ dialect, event, written: { matcher } }: CompiledHook): boolean {
  if (events[event].matcherField === 'file_path') return false
  const form = parseMatcher(matcher)
  return form.kind === 'regex' && form.emptyBranch && dialect === 'claude-settings'
}
