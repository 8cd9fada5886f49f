// Stands in for npm where the commands of a README are run: what it would do takes too long there, and is run in steps of
// its own (see run-steps.mjs). Here it is only looked at whether it can be done.
import { readFileSync } from 'node:fs'
import { table } from '../imports/table.mjs'

const root = new URL('../../', import.meta.url)
const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
// Peers that a package can be used with.
const others = Object.values(table).flatMap(({ folder }) => {
  const manifest = JSON.parse(readFileSync(new URL(`${folder}/package.json`, root), 'utf8'))
  return Object.keys(manifest.peerDependencies ?? {})
})
const [command, ...words] = process.argv.slice(2)
const names = words.filter((word) => !word.startsWith('--'))
const wrong = {
  install: () => names.filter((name) => !(name in table || others.includes(name))),
  run: () => names.slice(0, 1).filter((name) => !(name in scripts)),
  test: () => (scripts.test ? [] : ['test']),
}[command]
if (!wrong || wrong().length > 0) {
  process.stderr.write(
    `npm ${process.argv.slice(2).join(' ')}: ${wrong ? `there is no ${wrong().join(', ')}` : 'not expected'}\n`,
  )
  process.exitCode = 1
}
