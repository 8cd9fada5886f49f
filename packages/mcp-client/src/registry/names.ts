const MAX_LENGTH = 64
const HASH_LENGTH = 8

/**
 * The name under which a model sees a tool: `mcp__<server>__<tool>` where that is short enough, made of letters that
 * every provider takes, and can come from no other pair. Anything else ends with a hash of the pair. So a name depends
 * on server and tool alone, never on what else is connected.
 */
export function toolName(server: string, tool: string): string {
  const plain = `mcp__${server}__${tool}`
  // The first `__` behind the prefix has to be the one that ends the server's name.
  const reversible = !server.includes('__') && !server.endsWith('_')
  if (reversible && plain.length <= MAX_LENGTH && /^[A-Za-z0-9_-]+$/.test(tool)) return plain
  const letters = plain.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_LENGTH - HASH_LENGTH - 1)
  return `${letters}_${hash(`${server}\0${tool}`)}`
}

/** FNV-1a of 64 bits over UTF-16 units, in base 36. Tells names apart; keeps nobody from forging one. */
function hash(text: string): string {
  let value = 0xcbf29ce484222325n
  for (let index = 0; index < text.length; index++) {
    value = BigInt.asUintN(64, (value ^ BigInt(text.charCodeAt(index))) * 0x100000001b3n)
  }
  return (value % 36n ** BigInt(HASH_LENGTH)).toString(36).padStart(HASH_LENGTH, '0')
}
