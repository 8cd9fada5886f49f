/** What is wrong with a text: the rest of a sentence about it without its full stop, and what to do. */
export interface Fault {
  readonly problem: string
  readonly hint: string
}

const EXAMPLE = 'Write an address such as https://example.com/mcp.'

/** Why a server can't be reached at this address. The text is not repeated: what came out of variables is not shown. */
export function urlFault(text: string): Fault | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || (!/^https?:$/.test(url.protocol) && !text.includes('://'))) {
    const bare = /^[\w.-]+(?::\d+)?(?:[/?]|$)/.test(text)
    return {
      problem: 'is not a URL',
      hint: bare ? `Begin it with https://, or with http:// on this machine. ${EXAMPLE}` : EXAMPLE,
    }
  }
  if (!/^https?:$/.test(url.protocol)) {
    return { problem: `begins with ${url.protocol}//, which is not HTTP`, hint: EXAMPLE }
  }
  if (url.username !== '' || url.password !== '') {
    const hint = 'Write them into `headers`: `Authorization: "Basic ${CREDENTIALS}"` or `"Bearer ${TOKEN}"`.'
    return { problem: 'holds a user name or a password', hint }
  }
  if (url.hash !== '') return { problem: 'has a fragment (`#…`), which is never sent', hint: 'Remove it.' }
  return undefined
}
