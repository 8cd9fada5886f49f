/** Every diagnostic code of this package, with a line for its documentation. */
export const diagnosticCodes = {
  'config.file.unreadable': 'The file exists but cannot be read.',
  'config.file.too-large': 'The file is larger than the limit and was not read.',
  'config.file.not-a-file': 'A folder or device stands where a file is expected.',
  'config.file.not-utf8': 'The file holds bytes that are not UTF-8.',
  'config.syntax.yaml': 'The file is not valid YAML 1.2; nothing of it is used.',
  'config.syntax.json': 'The file is not valid JSON; nothing of it is used.',
  'config.syntax.json-comments': 'The JSON holds comments or trailing commas; it is read as if they were not there.',
  'config.syntax.duplicate-key': 'A key stands twice in one map of a JSON file; the last one is used.',
  'config.shape': 'A part of the file has the wrong type, for example a list where a map belongs.',
  'config.reader.crashed': 'A reader, validator or compiler threw instead of reporting; the entry is left out.',
  'config.entry.shadowed': 'An entry of the same name in a nearer layer replaces this one.',
  'config.entry.untrusted': 'The entry comes from a place that nobody has approved yet.',
  'config.managed.broken': 'A managed file is broken, so entries that could loosen anything stay off.',
  'frontmatter.missing': 'The file does not start with a line that is exactly ---.',
  'frontmatter.unclosed': 'The opening --- has no closing line that is exactly ---.',
  'frontmatter.engine': 'The opening fence names a language; only plain --- (YAML) is accepted.',
  'schema.required': 'A required field is missing.',
  'schema.unknown-key': 'The key is not known here; it is kept, but nothing reads it.',
  'schema.type': 'The value has the wrong type.',
  'schema.value': 'The value is not one of those accepted.',
} as const

/** A code of {@link diagnosticCodes}. */
export type KernelCode = keyof typeof diagnosticCodes
