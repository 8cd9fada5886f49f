import type { Attributed, Opinion, TraceStep } from '@ext/kernel/contract'
import type { PermissionCode } from '../codes.js'

function notice(by: string, code: PermissionCode, text: string): Attributed {
  return { by, text: `${code}: ${text}` }
}

export function overruledNotice({ by, reason }: Opinion, step: TraceStep): Attributed {
  const said = `${by} allowed the call${reason ? ` (${reason})` : ''}, which does not count: ${step.reason}`
  return notice(by, 'permission.hook.allow-overruled', said)
}

export function notForAutomation(by: string): Attributed {
  const text = `${by} said yes, which does not count: only a person may allow this call.`
  return notice(by, 'permission.hook.answer-overruled', text)
}

export function failureNotice(by: string, message: string): Attributed {
  return notice(by, 'permission.contender.failed', `Asking ${by} failed: ${message.replace(/\.$/, '')}.`)
}

/** @param problem names what has failed, as a sentence */
export function portNotice(problem: string): Attributed {
  return notice('permission', 'permission.port.failed', problem)
}

export function tooWideNotice(by: string, rule: string): Attributed {
  const text = `The rule \`${rule}\` of ${by} is not remembered: it allows more than the call that was asked about.`
  return notice(by, 'permission.grant.too-wide', text)
}

export function notApprovedNotice(by: string, rule: string): Attributed {
  const text = `The rule \`${rule}\` of ${by} is not remembered: only a person, or who is approved for it, may add rules.`
  return notice(by, 'permission.grant.too-wide', text)
}
