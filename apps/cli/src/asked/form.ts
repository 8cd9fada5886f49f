import { isCancel, multiselect, select, text } from '@clack/prompts'
import type { AskedBy, FormAnswer, FormField, FormRequest, FormValue } from '@ext/mcp-client/types'
import type { Io } from '../io.js'
import { printable } from '../render/words.js'
import { atTerminal } from './at-terminal.js'

const CANCELLED = Symbol('cancelled')

/** Shows a form of a server, field by field. Nothing is sent before the person has said that they want to answer. */
export async function askForm(request: FormRequest, by: AskedBy, io: Io): Promise<FormAnswer> {
  const common = { signal: by.signal }
  io.err(printable(`The server \`${by.server}\` asks for input. It says:\n${request.message}`))
  const names = request.fields.map(({ name, title }) => title ?? name).join(', ')
  const answer = await select<'answer' | 'decline'>({
    message: printable(`Answer? It gets: ${names === '' ? 'nothing but your yes' : names}`),
    options: [
      { value: 'answer', label: 'Answer' },
      { value: 'decline', label: 'Decline' },
    ],
    initialValue: 'decline',
    ...atTerminal(),
    ...common,
  })
  if (isCancel(answer)) return cancelled(by, io)
  if (answer === 'decline') return { action: 'decline' }
  const content: Record<string, FormValue> = {}
  for (const field of request.fields) {
    const value = await askField(field, (given) => fault(request, field, given), common)
    if (value === CANCELLED) return cancelled(by, io)
    if (value !== undefined) content[field.name] = value
  }
  const [problem] = request.check(content)
  if (!problem) return { action: 'accept', content }
  io.err(printable(`ext: Nothing was sent: ${problem.field} ${problem.message}.`))
  return { action: 'cancel' }
}

/** The prompt has the terminal, so Ctrl+C comes as a key, not as a signal. */
function cancelled({ signal }: AskedBy, io: Io): FormAnswer {
  if (!signal.aborted) io.interrupt()
  return { action: 'cancel' }
}

/** What keeps the value of one field from being sent. */
function fault(request: FormRequest, { name }: FormField, value: FormValue | undefined): string | undefined {
  const found = request
    .check(value === undefined ? {} : { [name]: value })
    .filter(({ field, message }) => (field === '' ? message.includes(`'${name}'`) : field === name))
  return found[0]?.message
}

async function askField(
  field: FormField,
  check: (value: FormValue | undefined) => string | undefined,
  asked: { readonly signal: AbortSignal },
): Promise<FormValue | undefined | typeof CANCELLED> {
  const { name, title = name, description } = field
  const common = { ...atTerminal(), ...asked }
  const note = field.required ? '' : ' (optional)'
  const message = printable(`${title}${note}${description === undefined ? '' : `\n${description}`}`)
  const skip = field.required ? [] : [{ value: undefined, label: 'No answer' }]
  switch (field.kind) {
    case 'boolean': {
      const options = [{ value: true, label: 'Yes' }, { value: false, label: 'No' }, ...skip]
      return settled(await select<boolean | undefined>({ message, options, ...initial(field.default), ...common }))
    }
    case 'choice': {
      const options = [...field.options.map(({ value, title: label }) => ({ value, label: printable(label) })), ...skip]
      return settled(await select<string | undefined>({ message, options, ...initial(field.default), ...common }))
    }
    case 'choices': {
      const options = field.options.map(({ value, title: label }) => ({ value, label: printable(label) }))
      const chosen = field.default ? { initialValues: [...field.default] } : {}
      return settled(await multiselect<string>({ message, options, required: field.required, ...chosen, ...common }))
    }
    default: {
      const read = (typed: string | undefined) => toValue(field, typed ?? '')
      const given = await text({
        message,
        ...(field.default === undefined ? {} : { initialValue: String(field.default) }),
        validate: (typed) => check(read(typed)),
        ...common,
      })
      return isCancel(given) ? CANCELLED : read(given)
    }
  }
}

function initial<T>(value: T | undefined): { readonly initialValue?: T } {
  return value === undefined ? {} : { initialValue: value }
}

function settled<T>(answer: T): Exclude<T, symbol> | typeof CANCELLED {
  return isCancel(answer) ? CANCELLED : (answer as Exclude<T, symbol>)
}

/** An empty line is no answer. What is no number stays a text, so that the check can say so. */
function toValue({ kind }: FormField, typed: string): FormValue | undefined {
  if (typed === '') return undefined
  if (kind !== 'number' && kind !== 'integer') return typed
  const number = Number(typed)
  return typed.trim() === '' || Number.isNaN(number) ? typed : number
}
