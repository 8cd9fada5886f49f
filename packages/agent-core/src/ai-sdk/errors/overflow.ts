/**
 * How providers say that a request does not fit into the context of the model. Only some have a code for it. Sources: the
 * error pages of OpenAI and Anthropic, and the texts that vLLM, llama.cpp, LM Studio, Google, Bedrock, Groq, xAI, Mistral,
 * Moonshot, MiniMax and GitHub Copilot answer with.
 */
const TYPES = new Set([
  'context_length_exceeded',
  'request_too_large',
  'exceed_context_size_error',
  'string_above_max_length',
])

const TEXTS = [
  /prompt is too long/i,
  /input is too long/i,
  /input length and `?max_tokens`? exceed context limit/i,
  /exceeds? the (?:model's )?(?:maximum )?context/i,
  /exceeds? the available context size/i,
  /maximum context length/i,
  /maximum prompt length/i,
  /input token count .{0,40}exceeds the maximum/i,
  /reduce the length of the (?:messages|prompt|input)/i,
  /greater than the context length/i,
  /context[ _](?:window|length)[ _]exceed/i,
  /exceeded model token limit/i,
  /prompt token count .{0,40}exceeds the limit/i,
  /too large for model with/i,
]

/** The codes of a request that is refused for what it holds; `undefined`: the error came in the stream. */
const STATUSES: ReadonlySet<number | undefined> = new Set([undefined, 400, 413, 422, 500])

export function isOverflow(status: number | undefined, types: readonly string[], message: string): boolean {
  if (status === 413 || types.some((type) => TYPES.has(type))) return true
  return STATUSES.has(status) && TEXTS.some((text) => text.test(message))
}
