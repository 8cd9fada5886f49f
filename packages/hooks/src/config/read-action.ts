import {
  checkSchema,
  createReporter,
  type Diagnostic,
  describe,
  isMap,
  type Located,
  type Outcome,
  suggest,
} from '@ext/kernel'
import { diagnosticCodes } from '../codes.js'
import type { Action, AgentAction, CommandAction, HttpAction } from './actions.js'
import { validateAction } from './validators.generated.js'

const report = createReporter(diagnosticCodes)

/** An action as the schema lets it through. */
export type ActionInput =
  | (Written<CommandAction, 'command'> & { readonly type: 'command' | 'shell' })
  | (Written<HttpAction, 'url'> & { readonly type: 'http' | 'url' })
  | { readonly type: 'prompt'; readonly text?: string; readonly prompt?: string; readonly model?: string }
  | (Omit<AgentAction, 'type'> & { readonly type: 'agent' | 'subagent' })

/** Only the required keys have to be there. */
type Written<A extends Action, Required extends keyof A> = Partial<Omit<A, 'type'>> & Pick<A, Required>

const TYPES = ['command', 'http', 'prompt', 'agent']
const ALIASES = ['shell', 'url', 'subagent']

/**
 * The error for a kind of action that can't be; `undefined` where the schema of its kind has the say.
 * @param base where the action stands in the entry: `''` or `/action`
 */
export function checkActionType(
  entry: Located<unknown>,
  base: '' | '/action',
  action: unknown,
): Diagnostic | undefined {
  const type = isMap(action) ? action['type'] : undefined
  if (type === undefined || TYPES.includes(type as string) || ALIASES.includes(type as string)) return undefined
  const pointer = `${base}/type`
  const details = { entry: entry.id, pointer: entry.pointer + pointer, expected: TYPES }
  if (type === 'mcp_tool' || type === 'function') {
    const message =
      type === 'function'
        ? 'A file can name no function; those are given to `createHooks` as `functions`.'
        : 'Hooks of type `mcp_tool` are not supported by this version.'
    const hint = 'Use `type: command`, for example with a script that does the same.'
    return report.error('hooks.action.unsupported', entry.at(pointer), message, { ...details, hint })
  }
  const typo = typeof type === 'string' ? suggest(type, [...TYPES, ...ALIASES]) : undefined
  const hint = typo ? `Did you mean \`${typo}\`?` : `Use one of: ${TYPES.join(', ')}.`
  const message = `\`type\` is ${describe(type)}, which is no kind of action.`
  return report.error('hooks.action.unknown', entry.at(pointer), message, { ...details, hint })
}

/**
 * Says whether an entry is a well-formed action.
 * @param moreKeys other keys that may have been meant, for did-you-mean
 */
export function checkAction(
  entry: Located<unknown>,
  fileEnv: Readonly<Record<string, string>>,
  moreKeys: readonly string[],
): Outcome<Action> {
  const checked = checkSchema<ActionInput>(validateAction, entry, moreKeys)
  if (!checked.value) return { diagnostics: checked.diagnostics }
  const action = readAction(entry, '', checked.value, fileEnv)
  return { ...action, diagnostics: [...checked.diagnostics, ...action.diagnostics] }
}

/**
 * Fills in what was left out, and says what no schema can say.
 * @param fileEnv variables that the file has for all its commands
 */
export function readAction(
  entry: Located<unknown>,
  base: '' | '/action',
  written: ActionInput,
  fileEnv: Readonly<Record<string, string>>,
): Outcome<Action> {
  switch (written.type) {
    case 'command':
    case 'shell':
      return good({
        ...written,
        type: 'command',
        shell: written.shell ?? 'sh',
        env: written.env ?? fileEnv,
        passEnv: written.passEnv ?? [],
      })
    case 'http':
    case 'url':
      return readHttp(entry, base, written)
    case 'prompt':
      return readPrompt(entry, base, written)
    case 'agent':
    case 'subagent':
      return good({ ...written, type: 'agent' })
  }
}

function readHttp(
  entry: Located<unknown>,
  base: string,
  written: Extract<ActionInput, { readonly url: string }>,
): Outcome<Action> {
  const problem = urlProblem(written.url)
  if (problem !== undefined) {
    return bad(
      entry,
      `${base}/url`,
      `\`url\` ${problem}.`,
      'Write the whole address, for example https://example.com/hook.',
    )
  }
  if (written.body !== undefined && written.fields !== undefined) {
    return bad(entry, `${base}/fields`, '`fields` has no effect beside `body`.', 'Remove one of the two.')
  }
  return good({
    ...written,
    type: 'http',
    method: written.method ?? 'POST',
    headers: written.headers ?? {},
    allowedEnvVars: written.allowedEnvVars ?? [],
    raw: written.raw ?? false,
  })
}

/** The address itself is judged when it is used: a name can have another one tomorrow. */
function urlProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return 'is no address'
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return `is of ${url.protocol} and not of https:`
  if (url.username !== '' || url.password !== '') return 'holds a user name or a password, which belong into a header'
  return undefined
}

function readPrompt(
  entry: Located<unknown>,
  base: string,
  { text, prompt, model }: Extract<ActionInput, { readonly type: 'prompt' }>,
): Outcome<Action> {
  if (text !== undefined && prompt !== undefined) {
    return bad(
      entry,
      `${base}/text`,
      "`text` and `prompt` can't stand together.",
      'Write `text` to remind, or `prompt` to ask.',
    )
  }
  if (prompt !== undefined) {
    return good({ type: 'prompt', prompt, ...(model === undefined ? {} : { model }) })
  }
  if (text === undefined) {
    const hint = 'Add `prompt`, which is put to a model, or `text`, which the model is reminded of.'
    return bad(entry, base, 'A `prompt` action lacks the field `prompt`, or else `text`.', hint)
  }
  if (model !== undefined) {
    return bad(entry, `${base}/model`, '`model` has no effect beside `text`: nobody is asked.', 'Remove it.')
  }
  return good({ type: 'prompt', text })
}

function good(value: Action): Outcome<Action> {
  return { value, diagnostics: [] }
}

function bad(entry: Located<unknown>, pointer: string, message: string, hint: string): Outcome<Action> {
  const details = { entry: entry.id, pointer: entry.pointer + pointer, hint }
  return { diagnostics: [report.error('hooks.action.fields', entry.at(pointer), message, details)] }
}
