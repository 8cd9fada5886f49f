import { childEnv } from '@ext/kernel/env'
import type { CompiledHook } from '../compile.js'
import type { CommandAction } from '../config/actions.js'
import { folderVariables } from '../config/folders.js'
import type { ActionHost } from './actions/action.js'
import type { SentPayload } from './payload.js'

/** Linux gives up on a variable beyond 128 KiB; programs have a use for far less. UTF-16 units. */
const MAX_VALUE = 16_384

/** Variables that tell a hook about its event, for scripts that don't read JSON. Large values are left out. */
export function eventVariables(payload: SentPayload, root: string): Readonly<Record<string, string>> {
  const variables: Record<string, string> = {}
  const set = (name: string, value: string) => {
    // A variable ends at a NUL, so a value with one can't be passed whole.
    if (value.length > MAX_VALUE || value.includes('\0')) variables['HOOK_TRUNCATED'] = '1'
    else variables[name] = value
  }
  set('HOOK_EVENT', payload.hook_event_name)
  set('HOOK_SESSION_ID', payload.session_id)
  set('HOOK_PROJECT_DIR', root)
  set('HOOK_CWD', payload.cwd)
  if ('model' in payload) set('HOOK_MODEL', payload.model)
  if ('prompt' in payload) set('HOOK_USER_INPUT', payload.prompt)
  if ('tool_name' in payload) {
    set('HOOK_TOOL_NAME', payload.tool_name)
    set('HOOK_TOOL_INPUT', JSON.stringify(payload.tool_input))
  }
  if ('tool_response' in payload) {
    const { tool_response: response } = payload
    set('HOOK_TOOL_OUTPUT', typeof response === 'string' ? response : JSON.stringify(response))
    set('HOOK_TOOL_IS_ERROR', '0')
  }
  if ('tool_name' in payload && 'error' in payload) {
    set('HOOK_TOOL_OUTPUT', payload.error)
    set('HOOK_TOOL_IS_ERROR', '1')
  }
  if ('agent_type' in payload && payload.agent_type !== undefined) set('HOOK_AGENT_TYPE', payload.agent_type)
  const stopReason = stopReasonOf(payload)
  if (stopReason !== undefined) set('HOOK_STOP_REASON', stopReason)
  return variables
}

/** Why a run or a session ends. Other events have a `reason` too, of another kind. */
function stopReasonOf(payload: SentPayload): string | undefined {
  if ('error_details' in payload) return payload.error
  return payload.hook_event_name === 'SessionEnd' && 'reason' in payload ? payload.reason : undefined
}

/** The whole environment of a hook: what programs need to run, what its file declares, and the event. */
export function hookEnv(
  hook: CompiledHook & { readonly action: CommandAction },
  variables: Readonly<Record<string, string>>,
  { ports, root, envPresets: presets }: Pick<ActionHost, 'ports' | 'root' | 'envPresets'>,
): Readonly<Record<string, string>> {
  const { env } = childEnv({
    host: ports.env,
    platform: ports.platform,
    passEnv: hook.action.passEnv,
    presets,
    declared: { ...hook.action.env, ...variables, ...folderVariables(hook, root) },
  })
  // Python reads and writes in the code page of the system otherwise, which breaks the JSON of other languages.
  return { PYTHONUTF8: '1', ...env }
}
