import type { HookOutcome } from '@ext/kernel/contract'
import type { BlockTier } from '../src/types.js'

export interface Fault {
  readonly when: string
  readonly command: string
  readonly outcome: HookOutcome
  readonly cause: string
  readonly timeout?: string
}

/** Everything that can go wrong with a command, and how it is called. The README shows it. */
export const FAULTS: readonly Fault[] = [
  { when: 'the program is missing', command: 'no-such-program', outcome: 'failed', cause: 'exit 127' },
  { when: 'the script may not be executed', command: ': > script; ./script', outcome: 'failed', cause: 'exit 126' },
  { when: 'it crashes', command: 'exit 1', outcome: 'failed', cause: 'exit 1' },
  { when: 'it is killed', command: 'kill -9 $$', outcome: 'failed', cause: 'ended by SIGKILL' },
  {
    when: 'it takes too long',
    command: 'sleep 30',
    outcome: 'timedOut',
    cause: 'no answer within 200ms',
    timeout: '200ms',
  },
  { when: 'it prints broken JSON', command: `echo '{"decision": '`, outcome: 'failed', cause: 'bad JSON' },
  { when: 'it prints two documents', command: `echo '{}'; echo '{}'`, outcome: 'failed', cause: '2 JSON documents' },
  { when: 'it echoes its input', command: 'cat', outcome: 'failed', cause: 'echo of its input' },
  {
    when: 'a field has the wrong type',
    command: `echo '{"reason": []}'`,
    outcome: 'failed',
    cause: 'wrong type of reason',
  },
  {
    when: 'a field is in the wrong place',
    command: `echo '{"permissionDecision": "deny"}'`,
    outcome: 'failed',
    cause: 'permissionDecision in the wrong place',
  },
  {
    when: 'its reply is on stderr',
    command: `echo '{"decision": "block"}' >&2`,
    outcome: 'failed',
    cause: 'JSON on stderr',
  },
  {
    when: 'it floods its output',
    command: `printf '{'; head -c 3000000 /dev/zero | tr '\\0' ' '`,
    outcome: 'failed',
    cause: 'bad JSON',
  },
]

/** What a fault does at an event of each tier when the hook says `onFailure: block`; without that, nothing. */
export const EFFECTS: Readonly<Record<BlockTier, string>> = {
  hard: 'it does not happen',
  note: 'the model is told',
  feedback: 'it goes on',
  degrade: 'it goes on',
}
