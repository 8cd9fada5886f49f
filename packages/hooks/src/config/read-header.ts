import { type FoundEntries, isMap, type Reader, type ReadResult } from '@ext/kernel'
import { parseFrontmatter, splitFrontmatter } from '@ext/kernel/frontmatter'
import type { HookInput, HookOwner } from './entry.js'
import { findRules } from './read.js'
import { findClaudeHooks } from './read-claude.js'

const NOTHING: ReadResult<HookInput> = { entries: [], broken: [], diagnostics: [], files: [] }

/**
 * Reads the `hooks` in the header of a skill (SKILL.md) or an agent: a map as in Claude Code's settings, or a list of
 * rules. A header without hooks is none of our business, whatever is wrong with it.
 */
export function headerReader(kind: 'skill' | 'agent'): Reader<HookInput> {
  return {
    dialect: kind,
    async read(source, files) {
      if (source.kind !== 'file') return NOTHING
      const { layer, dialect, path: file } = source
      const { text } = await files.readText(file)
      const state = text === undefined ? ('missing' as const) : ('read' as const)
      const records = [{ file, layer, dialect, state }]
      if (text === undefined || !mentionsHooks(text)) return { ...NOTHING, files: records }
      // Hooks may hold something back, so a header that has them is never guessed at.
      const { document, diagnostics } = await parseFrontmatter(
        text,
        { layer, dialect, file },
        { restricting: ['hooks'] },
      )
      if (!document) return { ...NOTHING, diagnostics, files: records }
      const header = isMap(document.value) ? document.value : {}
      const [folder = '', own = ''] = [file.replace(/[\\/][^\\/]*$/, ''), file.replace(/^.*[\\/]/s, '')]
      const name = typeof header['name'] === 'string' ? header['name'].trim() : own.replace(/\.md$/i, '')
      const owner: HookOwner = { kind, root: folder, name }
      const found: FoundEntries<HookInput> = Array.isArray(header['hooks'])
        ? findRules(document, owner)
        : findClaudeHooks(document, { owner })
      const { entries, broken = [] } = found
      return { entries, broken, diagnostics: [...diagnostics, ...(found.diagnostics ?? [])], files: records }
    },
  }
}

function mentionsHooks(text: string): boolean {
  const split = splitFrontmatter(text)
  return 'header' in split && /^["']?hooks["']?\s*:/m.test(split.header)
}
