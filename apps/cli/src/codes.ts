/** Every diagnostic code of the command line, with a line for its documentation. */
export const diagnosticCodes = {
  'cli.audit.invalid': 'The switch of the audit log is neither true nor false; calls are written down.',
  'cli.audit.misplaced': 'The switch of the audit log stands in a file of the project, where it has no effect.',
  'cli.section.unknown': 'A top-level key of a configuration file is not known; nothing reads it.',
  'cli.section.not-supported': 'A section of the configuration that this version does not read yet.',
  'cli.model.invalid': 'The value of `model` is not of the form provider:name, or not a text.',
  'cli.model.unusable': 'The model that a configuration file names is not one that this version can use.',
} as const
