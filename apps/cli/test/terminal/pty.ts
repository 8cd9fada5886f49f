import { fileURLToPath } from 'node:url'
import { spawn } from '@lydell/node-pty'
import xterm from '@xterm/headless'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../bin.js'

const BIN = fileURLToPath(new URL('../../bin/ext.js', import.meta.url))

/** Bold and dim count as well: whoever switches colours off wants none of it. */
const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`)

export interface TerminalOptions {
  readonly cwd: string
  readonly home?: string
  readonly columns?: number
  readonly rows?: number
  readonly env?: Readonly<Record<string, string>>
}

/** The built bin at a real pseudo-terminal, whose screen a real terminal emulator draws. */
export interface TestTerminal {
  readonly pid: number
  readonly home: string
  readonly emulator: InstanceType<typeof xterm.Terminal>
  /** Everything that was ever shown and not overwritten, without what is blank at the end. */
  text(): Promise<string>
  /** Presses keys. */
  press(keys: string): void
  /** Waits until what is shown fits. */
  until(pattern: RegExp | ((text: string) => boolean | Promise<boolean>), ms?: number): Promise<string>
  resize(columns: number, rows: number): void
  /** Closes the window. */
  hangUp(): void
  /** Whether anything was ever coloured. */
  readonly coloured: boolean
  /** The exit code, of a process that was ended by a signal 128 and its number. */
  readonly ended: Promise<number>
}

export async function terminal(args: readonly string[], options: TerminalOptions): Promise<TestTerminal> {
  const home = options.home ?? (await temporaryFolder())
  const { columns = 80, rows = 40 } = options
  const emulator = new xterm.Terminal({ cols: columns, rows, scrollback: 5000, allowProposedApi: true })
  const child = spawn(process.execPath, [BIN, ...args], {
    name: 'xterm-256color',
    cols: columns,
    rows,
    cwd: options.cwd,
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      TERM: 'xterm-256color',
      SHELL: '/bin/sh',
      LANG: 'C.UTF-8',
      ...options.env,
    },
  })
  let drawn: Promise<void> = Promise.resolve()
  let changed: () => void = () => {}
  let coloured = false
  child.onData((data) => {
    coloured ||= COLOUR.test(data)
    drawn = new Promise((resolve) => emulator.write(data, resolve))
    void drawn.then(() => changed())
  })
  // What the emulator answers, such as where the cursor is.
  emulator.onData((reply) => child.write(reply))
  let over = false
  const ended = new Promise<number>((resolve) => {
    child.onExit(({ exitCode, signal = 0 }) => {
      over = true
      resolve(signal > 0 ? 128 + signal : exitCode)
    })
  })
  onTestFinished(() => {
    if (!over) child.kill('SIGKILL')
  })
  const text = async () => {
    await drawn
    const { active } = emulator.buffer
    const lines: string[] = []
    for (let at = 0; at < active.length; at++) {
      const line = active.getLine(at)
      const shown = line?.translateToString(true) ?? ''
      if (line?.isWrapped && lines.length > 0) lines.push(`${lines.pop()}${shown}`)
      else lines.push(shown)
    }
    return lines.join('\n').trimEnd()
  }
  return {
    pid: child.pid,
    home,
    emulator,
    text,
    press: (keys) => child.write(keys),
    async until(pattern, ms = 10_000) {
      const fits = typeof pattern === 'function' ? pattern : (shown: string) => pattern.test(shown)
      const endMs = Date.now() + ms
      for (;;) {
        const shown = await text()
        if (await fits(shown)) return shown
        const left = endMs - Date.now()
        if (left <= 0 || over) throw new Error(`${over ? 'It ended' : 'It did not come'}: ${pattern}\n${shown}`)
        await new Promise<void>((resolve) => {
          changed = resolve
          setTimeout(resolve, Math.min(left, 250))
        })
      }
    },
    resize(next, height) {
      emulator.resize(next, height)
      child.resize(next, height)
    },
    hangUp: () => (child as unknown as { destroy(): void }).destroy(),
    get coloured() {
      return coloured
    },
    ended,
  }
}
