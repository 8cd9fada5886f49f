/** Every diagnostic code of this package, with a line for its documentation. */
export const diagnosticCodes = {
  'script.loop.not-last': 'Only the last turn of a script can repeat; no turn behind it would ever be reached.',
  'agents.folder.unreadable': 'A folder that should hold agents cannot be listed, so agents in it are not found.',
  'agents.limit.depth': 'There are folders below the depth that is searched for agents.',
  'agents.limit.files': 'There are more agent files than are read.',
  'agents.file.missing': 'An agent file is listed but cannot be opened, for example a link that leads nowhere.',
  'agents.file.readme': 'A README without a header is taken for a text about the folder, not for an agent.',
  'agents.name.invalid': 'The name of an agent is empty or holds line breaks, control, format or bidi characters.',
  'agents.description.blank': 'The description of an agent is blank.',
  'agents.prompt.empty': 'Nothing follows the header of an agent, so its system prompt is empty.',
  'agents.field.no-effect': 'The field is known, but it changes nothing in this version.',
  'agents.field.spelling': 'A field that limits an agent is written in another spelling than its own, and understood.',
  'agents.field.twice': 'A limit of an agent is written twice in different spellings: it is not loaded.',
  'agents.field.misspelt': 'An unknown field looks as if it limits the agent: it is not loaded.',
  'agents.tools.unreadable': 'A list of tools cannot be understood: the agent is not loaded.',
  'agents.tools.specifier':
    'A list of tools names some calls of a tool; lists know whole tools only, so it is read strictly.',
  'agents.tools.unknown': 'A list of tools names what is no tool here.',
  'agents.mode.unknown': 'The permission mode of an agent is none of the known ones: it is not loaded.',
  'agents.turns.invalid': 'The limit of turns of an agent is no whole number from 1: it is not loaded.',
} as const
