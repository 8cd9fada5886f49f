import {
  type ConfigDocument,
  createReporter,
  type Diagnostic,
  type FoundEntries,
  isMap,
  joinPointer,
  mapEntries,
  parsePointer,
  suggest,
  valueAt,
  wrongShape,
} from '@ext/kernel'
import { diagnosticCodes } from '../codes.js'

const report = createReporter(diagnosticCodes)

const SECTION = 'mcpServers'

/** Where other programs have their servers in files of this kind: Visual Studio and VS Code, settings of VS Code, Zed. */
const ELSEWHERE = ['/servers', '/mcp/servers', '/context_servers']

/** Fields of which every server has at least one. */
const MARKS = ['command', 'url', 'serverUrl', 'httpUrl', 'type']

/**
 * The servers of an `.mcp.json`: under `mcpServers`, where other programs have them, or, as plugins write it, all over the
 * top. A file in which none are found is never empty without a word.
 */
export function findInMcpJson(document: ConfigDocument): FoundEntries<unknown> {
  const { value } = document
  if (!isMap(value)) return { entries: [], diagnostics: [wrongShape(document, '', 'a map', value)] }
  if (Object.hasOwn(value, SECTION)) return withOthers(document, `/${SECTION}`, [])
  const elsewhere = ELSEWHERE.find((pointer) => isMap(valueAt(value, pointer)))
  if (elsewhere !== undefined) {
    const words = elsewhere.slice(1).replaceAll('/', '.')
    const message = `The servers stand under \`${words}\` instead of \`${SECTION}\`, and are read from there.`
    const hint = `Write \`${SECTION}\`, so that other programs find them too.`
    return withOthers(document, elsewhere, [
      report.info('mcp.file.foreign', document.at(elsewhere, 'key'), message, { hint }),
    ])
  }
  if (isBare(value)) {
    const message = `The file has no \`${SECTION}\`; its keys are read as the names of servers.`
    const hint = `Put them into a map under the key \`${SECTION}\`.`
    const entries = mapEntries(document, '').entries.filter(({ pointer }) => !isAside(parsePointer(pointer)[0] ?? ''))
    return { entries, diagnostics: [report.info('mcp.file.foreign', document.at(), message, { hint })] }
  }
  const typo = suggest(SECTION, Object.keys(value))
  const hint = typo
    ? `Did you mean \`${SECTION}\` where it says \`${typo}\`?`
    : `Put the servers into a map under the key \`${SECTION}\`.`
  const message = `The file has no \`${SECTION}\`, so it configures no server.`
  const place = typo === undefined ? document.at() : document.at(joinPointer('', typo), 'key')
  return { entries: [], diagnostics: [report.warning('mcp.file.no-servers', place, message, { hint })] }
}

/** Keys about the file. */
function isAside(key: string): boolean {
  return /^(?:\$|_|\/\/)/.test(key)
}

/** Whether every value is a map, and one of them looks like a server. */
function isBare(value: Readonly<Record<string, unknown>>): boolean {
  const parts = Object.entries(value).flatMap(([key, part]) => (isAside(key) ? [] : [part]))
  return parts.every(isMap) && parts.some((part) => isMap(part) && MARKS.some((mark) => Object.hasOwn(part, mark)))
}

function withOthers(document: ConfigDocument, section: string, notes: readonly Diagnostic[]): FoundEntries<unknown> {
  const found = mapEntries(document, section)
  const others = Object.keys(isMap(document.value) ? document.value : {}).filter(
    (key) => key !== parsePointer(section)[0] && !isAside(key),
  )
  const diagnostics = others.map((key) => {
    const hint = 'It can stay, if it is for another program.'
    const message = `\`${key}\` is not about servers here; nothing reads it.`
    return report.info('mcp.file.key', document.at(joinPointer('', key), 'key'), message, { hint })
  })
  return { ...found, diagnostics: [...notes, ...(found.diagnostics ?? []), ...diagnostics] }
}
