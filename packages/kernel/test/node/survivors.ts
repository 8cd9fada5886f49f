import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { ProcessPort, ProcessRequest, ProcessResult } from '../../src/index.js'

export const linux = process.platform === 'linux'

let marks = 0

/** A value of EXT_TEST_MARK for the environment of a child and so of all its descendants. */
export function nextMark(): string {
  return `mark-${process.pid}-${++marks}`
}

export function markedEnv(mark: string): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', EXT_TEST_MARK: mark }
}

/** Processes that carry the mark and still run. Looks into /proc, so there are none but on Linux. */
export function survivors(mark: string): readonly string[] {
  return processes((pid) => read(pid, 'environ').includes(`EXT_TEST_MARK=${mark}\0`))
}

/** Watchdogs whose parent is the given process. */
export function watchdogsOf(parent: number | undefined): readonly string[] {
  return processes((pid) => read(pid, 'cmdline').includes('\0ext-watchdog\0') && stat(pid)[1] === String(parent))
}

/** Zombies do not. */
export function isRunning(pid: string): boolean {
  const [state = 'gone'] = stat(pid)
  return state !== 'Z' && state !== 'gone'
}

function processes(matches: (pid: string) => boolean): readonly string[] {
  if (!linux) return []
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isRunning(name) && matches(name))
}

/** State, parent and so on, after the name. */
function stat(pid: string): readonly string[] {
  return read(pid, 'stat').split(') ').at(-1)?.split(' ').filter(Boolean) ?? []
}

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

/** @param withinMs a killed process needs a moment to be gone */
export async function leavesNothing(mark: string, withinMs = 500): Promise<void> {
  const end = performance.now() + withinMs
  let left = survivors(mark)
  while (left.length > 0 && performance.now() < end) {
    await sleep(25)
    left = survivors(mark)
  }
  expect(left).toEqual([])
}

/** Runs a command with a time-out of 1 s and shows that it settles in time and leaves no process. */
export async function settles(
  request: Pick<ProcessRequest, 'command' | 'cwd'> & Partial<ProcessRequest>,
  run: ProcessPort['run'],
): Promise<ProcessResult> {
  const mark = nextMark()
  const began = performance.now()
  const result = await run({ env: markedEnv(mark), timeoutMs: 1000, ...request })
  expect(performance.now() - began).toBeLessThan(2500)
  await leavesNothing(mark)
  return result
}

export async function until(done: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 500 && !done(); attempt++) await sleep(10)
  expect(done()).toBe(true)
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
