import { statSync } from 'node:fs'
import { InvalidArgumentError, Option } from 'commander'

/** What `ext` does without a command. */
export const DEFAULT_COMMAND = 'chat'

/** An option that can be repeated. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value]
}

export function folder(value: string): string {
  if (!statSync(value, { throwIfNoEntry: false })?.isDirectory())
    throw new InvalidArgumentError('There is no such folder.')
  return value
}

export function existingFile(value: string): string {
  if (!statSync(value, { throwIfNoEntry: false })?.isFile()) throw new InvalidArgumentError('There is no such file.')
  return value
}

export function positive(value: string): number {
  const number = Number(value)
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError('It must be a whole number from 1.')
  return number
}

export function permissionModeOption(): Option {
  return new Option('--permission-mode <mode>', 'how questions are answered').choices([
    'default',
    'acceptEdits',
    'plan',
    'dontAsk',
    'bypassPermissions',
  ])
}
