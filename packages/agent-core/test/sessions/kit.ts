import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { fileSessionStore } from '../../src/node/index.js'
import type { SessionEvent, SessionHeader, SessionStore } from '../../src/types.js'
import { CWD } from '../kit.js'

/** Gone when the test is. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ext-sessions-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A real store in a folder of its own. */
export function store(folder: string = temporaryFolder()): SessionStore & { place(id: string, cwd?: string): string } {
  const files = fileSessionStore({ folder })
  return { ...files, place: (id, cwd = CWD) => files.place?.(id, cwd) ?? '' }
}

export const header: SessionHeader = {
  type: 'session',
  version: 1,
  id: 's',
  at: '2026-01-01T00:00:00.000Z',
  cwd: CWD,
  permissionMode: 'default',
}

/** The lines of a log, without its header. */
export function eventsIn(file: string): readonly SessionEvent[] {
  return linesIn(file).slice(1) as readonly SessionEvent[]
}

export function linesIn(file: string): readonly unknown[] {
  const text = readFileSync(file, 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/** The logs as a process leaves them that is ended right now. */
export function killed(folder: string): string {
  const copy = temporaryFolder()
  for (const project of readdirSync(folder)) {
    mkdirSync(join(copy, project))
    for (const name of readdirSync(join(folder, project))) {
      if (name.endsWith('.jsonl')) copyFileSync(join(folder, project, name), join(copy, project, name))
    }
  }
  return copy
}

/**
 * Runs one of the fixtures until it says that it is where it should be, and ends it with a signal that nobody can hold up.
 * @returns the folder that it was given
 */
export async function killedProgram(fixture: string): Promise<string> {
  const folder = temporaryFolder()
  const file = fileURLToPath(new URL(`../fixtures/${fixture}`, import.meta.url))
  const child = spawn(process.execPath, [file, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'close')
  return folder
}
