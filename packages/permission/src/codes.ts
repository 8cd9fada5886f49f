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
  'permission.user.failed': 'The user port failed or gave no usable answer; the call was denied.',
} as const

export type PermissionCode = keyof typeof diagnosticCodes
