/** Every diagnostic code of the command line, with a line for its documentation. */
export const diagnosticCodes = {
  'cli.audit.invalid': 'The switch of the audit log is neither true nor false; calls are written down.',
  'cli.audit.misplaced': 'The switch of the audit log stands in a file of the project, where it has no effect.',
  'cli.server.program': 'The program of a server is not on this machine, so it can not be started.',
  'cli.section.unknown': 'A top-level key of a configuration file is not known; nothing reads it.',
  'cli.agents.setting': 'A setting of `agents` is not known, or holds what it can not hold.',
  'cli.agents.nothing-disabled': 'There is no agent of a name that is switched off.',
  'cli.compat.invalid': 'A switch of `compat` is not known, or is neither true nor false.',
  'cli.compat.off': 'Files of Claude Code that are there are not read, since `compat` says so.',
  'cli.skills.setting': 'A setting of `skills` is not known, or holds what it can not hold.',
  'cli.skills.folder': 'A folder of `skills` is not there, or a project may not name it.',
  'cli.skills.nothing-disabled': 'There is no skill of a name that is switched off.',
  'cli.model.invalid': 'A model is written in none of the forms that there are.',
  'cli.model.key-in-file': 'A key stands in a configuration file, where nothing reads it.',
  'cli.model.plain-http': 'The key of a model goes over a connection that is not encrypted.',
  'cli.model.unusable': 'The model of the configuration can not be used: its script is broken, or its key is missing.',
} as const
