import type { Tool } from '@ext/kernel/contract'
import { compileFileGlob, samenessOfNames } from '@ext/kernel/match'
import { defineTool } from '../../define-tool.js'
import type { FileHost } from '../files/host.js'
import { findPlace, noFile, showPath } from '../files/place.js'
import { count, done, problem, withNotes } from '../files/result.js'
import { splitGlob } from './split-glob.js'
import { describeNotes, joined, walk } from './walk.js'

export function globTool(host: FileHost): Tool {
  const most = host.limits.results
  return defineTool({
    name: 'Glob',
    title: 'Find files by name',
    description: `Lists the files that a pattern names: \`*.ts\` at any depth, \`src/*.ts\` in \`src\`, \`src/**/*.{ts,tsx}\` below it. Hidden files count; what .gitignore names and what is behind links does not. Sorted by name, folder by folder; at most ${most}.`,
    kind: 'read',
    inputSchema: {
      type: 'object',
      properties: {
        pattern: {
          type: 'string',
          minLength: 1,
          description: 'In the language of .gitignore, with {a,b} for several.',
        },
        path: { type: 'string', minLength: 1, description: 'Folder to search. Default: the working folder.' },
      },
      required: ['pattern'],
      additionalProperties: false,
    },
    async run({ pattern, path = '.' }, { session, signal }) {
      const split = splitGlob(pattern, path)
      if (split.problem !== undefined) return problem(split.problem)
      const { place, problem: nowhere } = await findPlace(split.folder, session, host)
      if (!place) return problem(nowhere)
      if (place.stat?.kind !== 'folder') {
        return problem((await noFile(place, session, host)) ?? `\`${place.shown}\` is a file; name a folder.`)
      }
      const glob = compileFileGlob(split.glob, samenessOfNames(host.platform))
      if (glob.never !== undefined) return problem(`The pattern \`${pattern}\` can match no file: ${glob.never}.`)
      const notes = { closed: 0, hidden: 0, cutShort: false }
      const paths: string[] = []
      let total = 0
      for await (const { names } of walk(place, session, signal, host, notes)) {
        if (!glob.test(names) || ++total > most) continue
        paths.push(showPath(joined(place.path, names.join('/')), session))
      }
      const none = total === 0 ? `No file in \`${place.shown}\` matches \`${pattern}\`.` : ''
      const more =
        total > most ? `the first ${most} of ${count(total, 'file')}; use a narrower pattern or a folder` : undefined
      return done(withNotes(none || paths.join('\n'), [more, ...describeNotes(notes, host)]))
    },
  })
}
