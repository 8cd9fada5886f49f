import { fstatSync } from 'node:fs'

/** What came on standard input, or why it is not used. */
export type StandardInput =
  | { readonly text?: string; readonly problem?: undefined; readonly remark?: undefined }
  | { readonly problem: string; readonly text?: undefined; readonly remark?: undefined }
  /** The run goes on without it. */
  | { readonly remark: string; readonly text?: undefined; readonly problem?: undefined }

/** Time that a pipe has to bring something. Programs often leave one open that nothing ever comes from. */
const WAIT_MS = 300
const MAX_BYTES = 10 * 1024 * 1024

/**
 * Reads a file or a pipe at standard input to its end; a terminal, or nothing, is not read.
 * @param wanted the person has said that something comes: then it is waited for, however long that takes
 */
export async function readStandardInput(wanted: boolean, signal: AbortSignal): Promise<StandardInput> {
  const kind = kindOfInput()
  if (kind === 'none')
    return wanted ? { problem: 'Nothing is at standard input, so there is nothing for --stdin.' } : {}
  const input = process.stdin
  const parts: Buffer[] = []
  let bytes = 0
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined
    const settle = (outcome: StandardInput) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      input.removeAllListeners('data').removeAllListeners('end').removeAllListeners('error')
      // A pipe that is left open must not keep this process alive. It is not closed: its descriptor would be given to the
      // next file that is opened.
      input.pause()
      if ('unref' in input) input.unref()
      resolve(outcome)
    }
    const stop = () => settle({})
    const end = () => {
      const text = Buffer.concat(parts).toString('utf8')
      settle(text.trim() === '' ? {} : { text })
    }
    if (kind === 'pipe' && !wanted) timer = setTimeout(() => settle({ remark: LATE }), WAIT_MS)
    signal.addEventListener('abort', stop, { once: true })
    input.on('data', (part: Buffer) => {
      clearTimeout(timer)
      bytes += part.length
      parts.push(part)
      if (bytes > MAX_BYTES) settle({ problem: `Standard input has more than ${MAX_BYTES} bytes. Give a part of it.` })
    })
    input.on('end', end)
    input.on('error', (error) => settle({ problem: `Standard input can’t be read: ${error.message}.` }))
  })
}

const LATE = `Nothing came on standard input within ${WAIT_MS} ms, so the run begins without it. With --stdin it is waited for.`

function kindOfInput(): 'file' | 'pipe' | 'none' {
  if (process.stdin.isTTY) return 'none'
  try {
    // Without `bigint`, Node keeps the result for whoever resolves the links of a path next, and takes a pipe in it for the
    // end of that path: modules that are imported after that are not found.
    const info = fstatSync(0, { bigint: true })
    return info.isFile() ? 'file' : info.isFIFO() || info.isSocket() ? 'pipe' : 'none'
  } catch {
    // It is closed.
    return 'none'
  }
}
