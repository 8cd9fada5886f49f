import { type Behaviour, greet, stayForEver } from '../behaviour.js'
import { record } from '../record.js'

/** Ends at once. */
export function exit(): Behaviour {
  return {
    start(mouth) {
      mouth.log('\u001b[31mno database at db.sqlite\u001b[0m')
      mouth.exit(3)
    },
  }
}

/** Does not even read. */
export function silent(): Behaviour {
  return {
    start: () => {
      stayForEver()
      return new Promise(() => {})
    },
  }
}

/** Never answers `initialize`. */
export function mute(): Behaviour {
  return { on: { initialize: () => {} } }
}

/** Reads nothing for so many milliseconds, then works. */
export function late(ms = '2000'): Behaviour {
  return { start: () => new Promise((resolve) => setTimeout(resolve, Number(ms))) }
}

/** Writes what is no message before it works: on stdout, or over HTTP into the first answer. */
export function junk(): Behaviour {
  const lines = ['Welcome to the server!', '{"half": ', '[]']
  return {
    on: {
      initialize(incoming, mouth) {
        for (const line of lines) mouth.raw(line)
        greet('junk', { tools: {} })(incoming, mouth)
      },
    },
  }
}

/** Answers `initialize` with no result. */
export function badinit(): Behaviour {
  return { on: { initialize: ({ id }, mouth) => mouth.raw(JSON.stringify({ jsonrpc: '2.0', id, result: null })) } }
}

/** Leaves out what `initialize` has to say. */
export function badcapabilities(): Behaviour {
  const result = { protocolVersion: '2025-06-18', serverInfo: {} }
  return { on: { initialize: ({ id }, mouth) => mouth.send({ id, result }) } }
}

/** Speaks a version that nobody knows. */
export function oldversion(): Behaviour {
  return { on: { initialize: greet('old', {}, '1999-01-01') } }
}

/** Has no tools. */
export function notools(): Behaviour {
  return { capabilities: {} }
}

/** Refuses `initialize` the first so many times that a file counts, then works. */
export function unready(file = '', times = '1'): Behaviour {
  return {
    on: {
      initialize(incoming, mouth) {
        if (record(file, process.pid) > Number(times)) return greet('unready', { tools: {} })(incoming, mouth)
        mouth.send({ id: incoming.id, error: { code: -32603, message: 'the database is starting' } })
      },
    },
  }
}
