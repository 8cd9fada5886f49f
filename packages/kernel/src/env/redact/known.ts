import { MASK } from './mask.js'

/** A secret of three characters would turn up everywhere. */
const MIN_LENGTH = 4

/** Masks values that the caller knows, also as they look inside of JSON and of a URL. */
export function maskKnown(text: string, secrets: readonly string[]): string {
  const forms = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), inUrl(secret)])
  const longestFirst = [...new Set(forms)]
    .filter((form) => form.length >= MIN_LENGTH)
    .sort((one, other) => other.length - one.length)
  let masked = text
  for (const form of longestFirst) {
    // What is masked already stays as it is, even if a secret looks like a part of the mask.
    const parts = masked.split(MASK)
    masked = parts.map((part) => part.replaceAll(form, MASK)).join(MASK)
  }
  return masked
}

function inUrl(secret: string): string {
  try {
    return encodeURIComponent(secret)
  } catch {
    // Half a surrogate pair can't be written in a URL.
    return secret
  }
}
