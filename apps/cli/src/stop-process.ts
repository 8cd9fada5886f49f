/** Longer than it takes until a process is stopped that can be. */
const STOP_MS = 200

/**
 * Stops this process until it is to go on, as Ctrl+Z does. Without a shell that could have it go on nobody stops it, and it goes
 * on at once. Rejects where there is no such thing.
 */
export async function stopProcess(): Promise<void> {
  let goOn = () => {}
  const back = new Promise<void>((resolve) => {
    goOn = resolve
  })
  process.once('SIGCONT', goOn)
  // Also keeps the process from ending, which waits for nothing else now.
  const timer = setTimeout(goOn, STOP_MS)
  try {
    process.kill(process.pid, 'SIGTSTP')
    await back
  } finally {
    clearTimeout(timer)
    process.removeListener('SIGCONT', goOn)
  }
}
