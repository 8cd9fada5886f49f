/** Every diagnostic code of this package, with a line for its documentation. */
export const diagnosticCodes = {
  'mcp.file.no-servers': 'The file exists for MCP servers but has no `mcpServers`.',
  'mcp.name.invalid': 'The name of a server has characters or a length that tool names can not carry.',
  'mcp.transport.unsupported': 'The server speaks over HTTP; this version speaks stdio only.',
  'mcp.field.unsupported': 'The field exists, but this version does not act on it.',
  'mcp.field.refused': 'The field restricts the server and this version can not enforce it, so the server stays off.',
  'mcp.field.foreign': 'The field is the word of other programs; it is read as it is meant there.',
  'mcp.timeout.invalid': 'A timeout is not a duration such as "30s".',
  'mcp.env.undefined': 'A variable that the entry uses has no value.',
  'mcp.env.not-expanded': 'A ${…} stands where or how nothing is expanded; it is passed on as it is.',
  'mcp.server.failed': 'The server could not be started, or did not become ready.',
  'mcp.server.lost': 'The server was ready and its connection ended.',
  'mcp.output.junk': 'The server writes lines to stdout that are not MCP messages; they are skipped.',
  'mcp.output.too-large': 'The server sent a message over the size limit; it was dropped.',
  'mcp.tools.incomplete': 'The list of tools was cut off, because the server never ends it.',
  'mcp.tool.no-schema': 'The tool has no input schema; it is offered as one that takes any object.',
  'mcp.tool.held': 'The tool is not what was approved; it waits until a person has looked at it.',
  'mcp.tool.quarantined': 'The tool is left out; the other tools of its server are used.',
} as const

export type McpCode = keyof typeof diagnosticCodes
