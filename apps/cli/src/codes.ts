/** Every diagnostic code of the command line, with a line for its documentation. */
export const diagnosticCodes = {
  'cli.audit.invalid': 'The switch of the audit log is neither true nor false; calls are written down.',
  'cli.audit.misplaced': 'The switch of the audit log stands in a file of the project, where it has no effect.',
  'cli.hooks.misplaced': 'An event stands at the top of a file of hooks, where nothing reads it.',
  'cli.hooks.none': 'A file that was named for its hooks has none.',
  'cli.section.unknown': 'A top-level key of a configuration file is not known; nothing reads it.',
  'cli.section.not-supported': 'A section of the configuration that this version does not read yet.',
  'cli.skills.setting': 'A setting of `skills` is not known, or holds what it can not hold.',
  'cli.skills.folder': 'A folder of `skills` is not there, or a project may not name it.',
  'cli.skills.nothing-disabled': 'There is no skill of a name that is switched off.',
  'cli.model.invalid': 'A model is written in none of the forms that there are.',
  'cli.model.key-in-file': 'A key stands in a configuration file, where nothing reads it.',
  'cli.model.plain-http': 'The key of a model goes over a connection that is not encrypted.',
  'cli.model.unusable': 'The model of the configuration can not be used: its script is broken, or its key is missing.',
} as const
