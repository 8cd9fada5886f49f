import { readFileSync } from 'node:fs'

const version = process.argv[2]
const first = readFileSync(`RELEASE-${version}.md`, 'utf8').split('\n')[0]
if (first !== `# Paper Boat ${version}`) throw new Error(`RELEASE-${version}.md starts with: ${first}`)
console.log(`RELEASE-${version}.md is well formed`)
