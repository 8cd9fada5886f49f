import { spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { type Behaviour, stayForEver, text } from '../behaviour.js'

/** Ignores the end of its input and TERM. */
export function stubborn(): Behaviour {
  return {
    start() {
      process.on('SIGTERM', () => {})
      stayForEver()
    },
  }
}

/** Has a child that ignores TERM; a call answers with both ids of processes. */
export function tree(): Behaviour {
  const script = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1 << 30)'
  let child: number | undefined
  return {
    start() {
      child = spawn(process.execPath, ['-e', script], { stdio: 'ignore' }).pid
    },
    on: { 'tools/call': ({ id }, mouth) => mouth.send({ id, result: text(`${process.pid} ${child}`) }) },
  }
}

/** Reads no more after `initialize`, so that what is written to it stays in the pipe; ends after so many milliseconds. */
export function deaf(ms = '1000'): Behaviour {
  return {
    on: {
      'notifications/initialized': () => {
        process.stdin.pause()
        setTimeout(() => process.exit(5), Number(ms))
      },
    },
  }
}

/** Closes its input after `initialize` and lives on. */
export function shut(): Behaviour {
  return {
    on: {
      'notifications/initialized': () => {
        // Node does not close it when the stream is destroyed.
        closeSync(0)
        stayForEver()
      },
    },
  }
}

/** Writes so many lines to stderr in a call. */
export function chatty(lines = '1000'): Behaviour {
  return {
    on: {
      'tools/call': ({ id }, mouth) => {
        for (let line = 1; line <= Number(lines); line++) mouth.log(`line ${line} of the log`)
        mouth.send({ id, result: text(lines) })
      },
    },
  }
}
