import { createReporter, type Diagnostic, type Located, suggest } from '@ext/kernel'
import type { LifecycleEvent } from '@ext/kernel/contract'
import { diagnosticCodes } from '../codes.js'
import { COMMON_PAYLOAD, events } from '../events.js'
import type { HookHost } from '../host.js'
import type { HttpAction, PromptAction } from './actions.js'
import type { HookEntry } from './entry.js'
import { headerVariables } from './header-variables.js'
import { contentTypeOf, isWellFormed, placeholders } from './http-body.js'
import { lintCommand } from './lint-command.js'
import type { VariableHost } from './lint-variables.js'

const report = createReporter(diagnosticCodes)

/** What can be judged of an action before it runs. */
export interface ActionContext {
  readonly event: LifecycleEvent
  readonly host: HookHost
  readonly variables: VariableHost
}

/** Whatever speaks against an action. An error: it can never do anything. */
export function lintAction(entry: Located<HookEntry>, context: ActionContext): readonly Diagnostic[] {
  const { action, stdout } = entry.value
  const unheard = stdout !== undefined && action.type !== 'command' ? [noStdout(entry)] : []
  return [...unheard, ...lintKind(entry, context)]
}

/** What is to be said of one kind of action alone. */
function lintKind(entry: Located<HookEntry>, context: ActionContext): readonly Diagnostic[] {
  const { action } = entry.value
  switch (action.type) {
    case 'command':
      return lintCommand(entry, action, context.variables)
    case 'http':
      return [
        ...lintRequest(entry, action),
        ...lintHeaders(entry, action, context.variables.env),
        ...lintBody(entry, action, context.event),
      ]
    case 'prompt':
      return lintPrompt(entry, action, context)
    case 'agent':
      return lintAgent(entry, context.host)
    case 'function':
      return []
  }
}

function noStdout(entry: Located<HookEntry>): Diagnostic {
  const details = { pointer: `${entry.pointer}/stdout`, hint: 'Remove it.' }
  const message = `Only a command has a \`stdout\`; this is a hook of type ${entry.value.action.type}.`
  return report.warning('hooks.stdout.no-effect', entry.at('/stdout'), message, details)
}

/** Networks of homes, offices and machines, as URLs write their addresses. */
const NOT_PUBLIC =
  /^(?:0|10|127|169\.254|172\.(?:1[6-9]|2\d|3[01])|192\.168|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.|^\[(?:::|f[cd]|fe[89ab])/
/** The ways to say this machine that are taken. */
const THIS_MACHINE = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:[/?#]|$)/i
/** Headers that belong to the connection. */
const NOT_SETTABLE = new Set(
  'connection content-length expect host keep-alive te trailer transfer-encoding upgrade proxy-connection'.split(' '),
)

/** What the guarded fetch refuses, as far as the text tells; a host may have excepted an address. */
function lintRequest(entry: Located<HookEntry>, { url, headers }: HttpAction): readonly Diagnostic[] {
  const findings: Diagnostic[] = []
  const { hostname } = new URL(url)
  if (NOT_PUBLIC.test(hostname) && !THIS_MACHINE.test(url)) {
    const message = `${hostname} is no public address, so nothing is sent there unless the host allows it.`
    const hint = 'Use a public address, or localhost, 127.0.0.1 or [::1] for this machine.'
    findings.push(place(entry, '/url').report('warning', 'hooks.http.refused', message, hint))
  }
  for (const name of Object.keys(headers).filter((name) => NOT_SETTABLE.has(name.toLowerCase()))) {
    const message = `The header ${name} belongs to the connection and can't be set, so nothing would ever be sent.`
    findings.push(place(entry, `/headers/${name}`).report('error', 'hooks.http.refused', message, 'Remove it.'))
  }
  return findings
}

function lintHeaders(
  entry: Located<HookEntry>,
  { headers, allowedEnvVars }: HttpAction,
  env: VariableHost['env'],
): readonly Diagnostic[] {
  const findings: Diagnostic[] = []
  for (const [header, value] of Object.entries(headers)) {
    for (const name of headerVariables(value)) {
      const at = place(entry, `/headers/${header.replaceAll('~', '~0')}`)
      if (!allowedEnvVars.includes(name)) {
        const message = `The header ${header} names \`${name}\`, which is not one of \`allowedEnvVars\`, so it is empty there.`
        findings.push(at.report('warning', 'hooks.http.env', message, `Add ${name} to \`allowedEnvVars\`.`))
      } else if (env[name] === undefined) {
        const message = `The header ${header} names \`${name}\`, which is not set here.`
        findings.push(at.report('info', 'hooks.env.unset', message, `Set ${name}, or remove it.`))
      }
    }
  }
  return findings
}

/** A field that is not there keeps a body from being sent; of a list of fields it is only left out. */
function lintBody(
  entry: Located<HookEntry>,
  { body, fields = [], headers }: HttpAction,
  event: LifecycleEvent,
): readonly Diagnostic[] {
  const findings: Diagnostic[] = []
  const absent = (pointer: string, path: string, severity: 'error' | 'warning', effect: string) => {
    const known = Object.keys({ ...COMMON_PAYLOAD, ...events[event].fields })
    const [name = ''] = path.split('.')
    if (known.includes(name)) return
    const typo = suggest(name, known)
    const hint = typo ? `Did you mean \`${typo}\`?` : `It has ${Object.keys(events[event].fields).join(', ')}.`
    const message = `${event} has no field \`${name}\`, ${effect}.`
    findings.push(place(entry, pointer).report(severity, 'hooks.http.field', message, hint))
  }
  fields.forEach((path, index) => {
    absent(`/fields/${index}`, path, 'warning', 'so nothing is sent for it')
  })
  if (body === undefined) return findings
  for (const path of new Set(placeholders(body))) absent('/body', path, 'error', 'so nothing could be sent')
  const contentType = contentTypeOf(headers)
  if (contentType?.includes('$')) {
    const message = 'The content type holds a variable, so nobody can say how values are put into `body`.'
    findings.push(place(entry, '/headers').report('error', 'hooks.action.fields', message, 'Write it out.'))
  } else if (!isWellFormed(body, contentType)) {
    const message = '`body` is no JSON, which is what its content type says that it is.'
    const hint = 'Put texts into double quotes, or set the header Content-Type.'
    findings.push(place(entry, '/body').report('error', 'hooks.action.fields', message, hint))
  }
  return findings
}

function lintPrompt(
  entry: Located<HookEntry>,
  action: PromptAction,
  { event, host }: ActionContext,
): readonly Diagnostic[] {
  if (action.text !== undefined) {
    if (events[event].outputs.includes('additionalContext')) return []
    const message = `${event} tells the model nothing, so it would never see this text.`
    return [place(entry, '/text').report('error', 'hooks.action.no-effect', message, 'Listen to another event.')]
  }
  if (!host.model) {
    const hint = 'Use a `command` or an `http` action, or give `createHooks` a `host.model`.'
    const message = 'This host gives hooks no model, so nobody can be asked.'
    return [place(entry, '/prompt').report('error', 'hooks.action.host', message, hint)]
  }
  if (action.model === undefined || Object.hasOwn(host.models ?? {}, action.model)) return []
  const known = Object.keys(host.models ?? {})
  const hint = known.length > 0 ? `Known here: ${known.join(', ')}.` : 'Remove it.'
  const message = `This host gives hooks no model \`${action.model}\`, so its usual one is asked.`
  return [place(entry, '/model').report('warning', 'hooks.action.model', message, hint)]
}

function lintAgent(entry: Located<HookEntry>, host: HookHost): readonly Diagnostic[] {
  if (host.runner) return []
  const hint = 'Use a `prompt` or a `command` action, or give `createHooks` a `host.runner`.'
  const message = 'This host gives hooks no sub-agents, so there is none that could look into it.'
  return [place(entry, '/type').report('error', 'hooks.action.host', message, hint)]
}

/** A field of the action, wherever the action stands in its file. */
function place(entry: Located<HookEntry>, field: string) {
  const pointer = `${entry.value.dialect === 'ext' ? '/action' : ''}${field}`
  return {
    report: (
      severity: 'error' | 'warning' | 'info',
      code: keyof typeof diagnosticCodes,
      message: string,
      hint: string,
    ) =>
      report[severity](code, entry.at(pointer), message, { entry: entry.id, pointer: entry.pointer + pointer, hint }),
  }
}
