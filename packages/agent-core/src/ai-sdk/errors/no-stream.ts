import { ModelError } from '../../model-error.js'

/**
 * An endpoint that is not that of a model can answer everything with 200 and a page. Nothing of it is an event, so the
 * answer would only seem to break off.
 */
export function noEventStream(headers: Readonly<Record<string, string>> | undefined): ModelError | undefined {
  const type = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'content-type')?.[1]
  if (type === undefined || !/^(?:text\/html|application\/json)\b/i.test(type)) return undefined
  const what = /html/i.test(type) ? 'an HTML page' : 'JSON'
  return new ModelError(
    'invalid_request',
    `It answered with ${what} where a stream of events was expected. Check the address of the endpoint, and proxies on the way.`,
  )
}
