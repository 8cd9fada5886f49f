import { ExtError } from '@ext/kernel'
import { count, oneLine, printable } from '../../render/words.js'
import { type Host, NO_MODEL } from './table.js'

/** Of what a task has put out. */
const SHOWN = 4000

/** `/tasks` lists, `/tasks ID` shows what one has put out, `/tasks stop ID` ends it. */
export async function tasks(args: string, { talk, io }: Host): Promise<void> {
  if (!talk) {
    io.err(NO_MODEL)
    return
  }
  const [first = '', second] = args.split(/\s+/)
  const all = talk.session.tasks
  try {
    if (first === 'stop' && second !== undefined) {
      const { id, state, how } = await all.stop(second)
      io.out(printable(`${id} ${state}${how === '' ? '' : `: ${how}`}`))
    } else if (first !== '') {
      const output = all.output(first, { most: SHOWN })
      io.out(output === '' ? 'It has put out nothing so far.' : printable(output))
    } else {
      for (const { id, state, durationMs, subject, agent } of all.list()) {
        const whose = agent === undefined ? '' : `${agent.type} › `
        io.out(printable(`${id.padEnd(9)}${state.padEnd(11)}${seconds(durationMs)}  ${whose}${oneLine(subject, 100)}`))
      }
      io.out(count(all.list().length, 'task'))
    }
  } catch (error) {
    if (!ExtError.isInstance(error)) throw error
    io.err(printable(error.message))
  }
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`.padStart(6)
}
