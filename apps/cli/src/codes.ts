/** Every diagnostic code of the command line, with a line for its documentation. */
export const diagnosticCodes = {
  'cli.section.unknown': 'A top-level key of a configuration file is not known; nothing reads it.',
  'cli.section.not-supported': 'A section of the configuration that this version does not read yet.',
  'cli.model.invalid': 'The value of `model` is not of the form provider:name, or not a text.',
  'cli.model.unusable': 'The model that a configuration file names is not one that this version can use.',
} as const
