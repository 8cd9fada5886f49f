// A process of its own that works on a trust store. Arguments: the task and its parameters; prints JSON.
import { nodeHash, nodeTrustStore } from '../../../src/node/index.js'
import { createTrust, type TrustSubject } from '../../../src/trust/index.js'

const [task = '', file = '', root = '', from = '0', to = '0'] = process.argv.slice(2)

function subject(index: number): TrustSubject {
  return {
    kind: 'hooks',
    name: `hook-${index}`,
    root,
    runs: { command: { file: 'node', args: ['guard.mjs', `${index}`] } },
  }
}

// Or a library that listens to all signals ends the process where a file may not grow, see `ulimit -f`.
process.on('SIGXFSZ', () => {})

async function run(): Promise<unknown> {
  const trust = await createTrust({ store: nodeTrustStore({ file }), hash: nodeHash(), clock: { now: Date.now } })
  const some = Array.from({ length: Number(to) - Number(from) }, (_, index) => subject(Number(from) + index))
  if (task === 'approve') {
    const refused: unknown[] = []
    for (const each of some)
      refused.push(...(await trust.approve(trust.pending([each]))).refused.map(({ message }) => message))
    return { refused }
  }
  if (task === 'die') {
    await nodeTrustStore({ file }).update(() => process.kill(process.pid, 'SIGKILL') && undefined)
  }
  const problems = trust.pending(some).flatMap((pending) => pending.problems.map(({ failure }) => failure))
  return { approved: some.filter(trust.isApproved).length, problems, codes: trust.diagnostics.map(({ code }) => code) }
}

run().then((result) => process.stdout.write(JSON.stringify(result)))
