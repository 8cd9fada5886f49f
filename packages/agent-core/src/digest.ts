import { canonicalJson } from '@ext/kernel'

/** SHA-256 of a value, in hex: the same for all ways to write the same JSON. */
export async function sha256(value: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(canonicalJson(value))
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
