/** In code units. The longer a text is, the longer `Intl.Segmenter` takes for each of its characters. */
const PIECE = 512

/** The characters of a text as people count them, in time that grows with its length alone. */
export function* charactersOf(text: string): Generator<string, void> {
  const segmenter = new Intl.Segmenter()
  let start = 0
  let size = PIECE
  while (start < text.length) {
    const piece = text.slice(start, start + size)
    const isLast = start + piece.length === text.length
    let before: string | undefined
    for (const { segment } of segmenter.segment(piece)) {
      if (before !== undefined) {
        yield before
        start += before.length
        size = PIECE
      }
      before = segment
    }
    // The last one may go on in the next piece, and one that fills all of it certainly may.
    if (isLast) {
      if (before !== undefined) yield before
      return
    }
    if (before === piece) size *= 2
  }
}
