/** Titles are for people, and pages of proxies say everything in a few words. */
const MAX_TITLE = 100

export function isHtml(body: string, contentType = ''): boolean {
  return /^\s*<(?:!doctype html|html|head|body)\b/i.test(body) || (contentType.includes('text/html') && !isJson(body))
}

export function htmlTitle(body: string): string | undefined {
  const [, title] = body.match(/<title[^>]{0,200}>([^<]{0,1000})/i) ?? []
  const text = title?.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_TITLE)
  return text === '' ? undefined : text
}

function isJson(body: string): boolean {
  return /^\s*[{[]/.test(body)
}
