import type { Tool } from '@ext/kernel/contract'
import { globTool } from '../search/glob.js'
import { grepTool } from '../search/grep.js'
import { editTool } from './edit.js'
import { type FileToolOptions, openHost } from './host.js'
import { readTool } from './read.js'
import { writeTool } from './write.js'

/**
 * Read, Write, Edit, Glob and Grep, with the names and fields of the permission rules. What a session has read belongs to
 * the session alone: use one list of tools for all sessions of an agent.
 * @throws ExtError `agent-core.limit` for a limit that there is not, or that is no whole number from 1 up
 */
export function fileTools(options: FileToolOptions): readonly Tool[] {
  const host = openHost(options)
  return [readTool(host), writeTool(host), editTool(host), globTool(host), grepTool(host)]
}
