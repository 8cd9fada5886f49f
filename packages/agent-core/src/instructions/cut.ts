import type { InstructionsFile } from '../types.js'

/**
 * Cuts files that are too long, and leaves the farthest out where there is no room for all: what stands nearest counts most.
 */
export function cutToFit(
  files: readonly InstructionsFile[],
  { maxFileBytes, maxBytes }: { readonly maxFileBytes: number; readonly maxBytes: number },
): { readonly files: readonly InstructionsFile[]; readonly notices: readonly string[] } {
  const kept: InstructionsFile[] = []
  const notices: string[] = []
  let room = maxBytes
  for (const file of files.toReversed()) {
    const bytes = byteLength(file.text)
    const most = Math.min(maxFileBytes, room)
    if (bytes <= most) {
      room -= bytes
      kept.unshift(file)
      continue
    }
    const text = firstLines(file.text, most)
    room = Math.max(0, room - byteLength(text))
    const limit = most === maxFileBytes ? `a file may have ${maxFileBytes}` : `all files together may have ${maxBytes}`
    if (text === '') {
      notices.unshift(`${file.path} is left out: it has ${bytes} bytes, and ${limit}.`)
      continue
    }
    notices.unshift(`${file.path} is cut after ${byteLength(text)} of ${bytes} bytes: ${limit}.`)
    kept.unshift({ ...file, text: `${text}\n[cut: the file has ${bytes} bytes, and ${limit}]` })
  }
  return { files: kept, notices }
}

/** As many whole lines as fit; of one long line as many whole characters. */
function firstLines(text: string, maxBytes: number): string {
  const scratch = new Uint8Array(maxBytes)
  const { read } = new TextEncoder().encodeInto(text, scratch)
  const fitting = text.slice(0, read)
  const end = fitting.lastIndexOf('\n')
  return (end > 0 ? fitting.slice(0, end) : fitting).trimEnd()
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length
}
