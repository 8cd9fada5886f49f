/**
 * Freezes a value with all its parts, for whoever is given it and could change what is judged and run. What is frozen is
 * taken to be so as a whole, which makes it cheap to ask again; objects of classes are left alone.
 */
export function freezeDeep(value: unknown): void {
  if (!isOpen(value)) return
  // No recursion: what a model has written may be nested as deep as it likes.
  const open: object[] = [Object.freeze(value)]
  for (let part = open.pop(); part; part = open.pop()) {
    for (const inner of Object.values(part)) if (isOpen(inner)) open.push(Object.freeze(inner))
  }
}

function isOpen(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return false
  if (Array.isArray(value)) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
