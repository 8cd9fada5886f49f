#!/usr/bin/env node
import { existsSync } from 'node:fs'
import module from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

// From Node 22.8 on, compiled code is kept, so that the next start has less to do: only where the person has a folder of
// ours already, and never in the one for temporary files, where others could have put some.
const folder = process.env.EXT_HOME || join(homedir(), '.ext')
if (existsSync(folder)) module.enableCompileCache?.(join(folder, 'cache', 'code'))
const { main } = await import('../dist/main.js')

process.exitCode = await main(process.argv)
