/** Every diagnostic and notice code of this package, with a line for its documentation. */
export const diagnosticCodes = {
  'permission.rule.malformed':
    'A rule is not of the form Tool or Tool(specifier); a deny or ask rule then caps its tool.',
  'permission.rule.not-usable': 'A rule is well formed, but its specifier or wildcard has no meaning where it stands.',
  'permission.rule.not-text': 'An item of a rule list is not a text; in deny and ask it caps every tool at ask.',
  'permission.mode.unknown': 'The configured mode is not one of the known modes; the default mode is used.',
  'permission.key.not-used': 'A key that other programs know has no effect here yet.',
  'permission.key.unknown': 'A key of the permissions section is not known.',
  'permission.hook.allow-overruled':
    'A hook allowed a call that a rule, the mode or the command itself does not let pass.',
  'permission.hook.answer-overruled': 'A program allowed a question that only a person may answer with yes.',
  'permission.contender.failed': 'Somebody who was asked failed or gave no usable answer; it counts as no opinion.',
  'permission.grant.too-wide': 'A rule that came with an answer allows more than what was asked; it is not remembered.',
  'permission.remember.failed': 'A rule could not be written to its file.',
  'permission.rule.shape': 'A rule that is written as a map has a key or value that is not understood.',
  'permission.rule.test-failed': 'A test that stands beside a rule fails.',
  'permission.rule.expired': 'An allow rule has expired; it allows nothing any more.',
  'permission.directory.not-usable': 'A further directory is not a path that can be used.',
  'permission.setting.not-usable': 'A setting has a value that it can not have, or stands where it means nothing.',
  'permission.lint.unreachable': 'Another rule always decides before this one, so it never has an effect.',
  'permission.lint.contradictory': 'The same rule stands in two lists of one file; only the stricter one counts.',
  'permission.lint.duplicate': 'A rule of the same meaning stands before it in the same list.',
  'permission.lint.never-consulted': 'A rule about paths stands at a tool for which other programs never look at it.',
  'permission.lint.unknown-tool': 'A rule names a tool that is not known.',
  'permission.lint.too-broad': 'An allow rule lets far more run than its text shows.',
  'permission.lint.exact': 'A deny or ask rule stands for one spelling of a command alone.',
  'permission.lint.equivalent': 'What a deny rule is about can be done by other words that an allow rule covers.',
  'permission.lint.anchor': 'A path starts elsewhere than it looks.',
  'permission.lint.pattern': 'A rule is written in a pattern language that is not the one of rules.',
  'permission.lint.compound': 'A rule holds an operator of the shell, but each command of a line is judged alone.',
  'permission.lint.specifier': 'What stands in the parentheses is not what is meant there.',
  'permission.lint.blanks': 'A rule holds quotes, blanks or invisible characters that it is taken with.',
  'permission.lint.mode': 'The mode, or what stands beside it, can take no effect.',
  'permission.corpus.row': 'A line of a corpus is not a row; it is left out.',
  'permission.import.format': 'A file is not one that permission rules can be imported from.',
} as const

export type PermissionCode = keyof typeof diagnosticCodes
