import type { IBufferCell, Terminal } from '@xterm/headless'

/** The sixteen colours of a terminal, dark background. */
const COLOURS = [
  ...['#1d1f21', '#cc6666', '#b5bd68', '#f0c674', '#81a2be', '#b294bb', '#8abeb7', '#c5c8c6'],
  ...['#707880', '#d54e53', '#b9ca4a', '#e7c547', '#7aa6da', '#c397d8', '#70c0b1', '#eaeaea'],
]
const TEXT = '#c5c8c6'
const CELL = { width: 8.4, height: 18 }
const EDGE = 16

/**
 * What the emulator shows now, as a picture made of text.
 * @param title for those who can't see it
 * @param mask of each row, in as many columns
 */
export function toSvg(emulator: Terminal, title: string, mask: (text: string) => string): string {
  const { active } = emulator.buffer
  const rows: string[] = []
  let last = 0
  for (let at = 0; at < emulator.rows; at++) {
    const line = active.getLine(active.viewportY + at)
    if (!line) continue
    const shown = mask(line.translateToString(true))
    if (shown.trim() !== '') last = at
    const runs: { style: string; text: string }[] = []
    for (let column = 0; column < shown.length; column++) {
      const cell = line.getCell(column)
      const style = cell ? styleOf(cell) : ''
      const previous = runs.at(-1)
      if (previous?.style === style) previous.text += shown[column]
      else runs.push({ style, text: shown[column] ?? '' })
    }
    const y = EDGE + (at + 1) * CELL.height - 4
    const spans = runs.map(({ style, text }) => `<tspan${style}>${escaped(text)}</tspan>`).join('')
    if (spans !== '') rows.push(`<text x="${EDGE}" y="${y}">${spans}</text>`)
  }
  const width = Math.ceil(emulator.cols * CELL.width) + 2 * EDGE
  const height = (last + 1) * CELL.height + 2 * EDGE
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="100%" height="100%" rx="8" fill="#1d1f21"/>`,
    `<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14" fill="${TEXT}" xml:space="preserve">`,
    ...rows,
    '</g>',
    '</svg>',
    '',
  ].join('\n')
}

function styleOf(cell: IBufferCell): string {
  const colour = cell.isFgPalette() ? COLOURS[cell.getFgColor()] : undefined
  return [
    colour === undefined ? '' : ` fill="${colour}"`,
    cell.isBold() ? ' font-weight="bold"' : '',
    cell.isDim() ? ' opacity="0.65"' : '',
  ].join('')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
