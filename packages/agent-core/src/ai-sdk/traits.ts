/** Where providers differ in what a conversation may hold. */
export interface Traits {
  /** Images in results of tools are a part of the result; elsewhere they follow in a message of their own. */
  readonly mediaInResults: boolean
  /** A result can say that it is an error; elsewhere its text does. */
  readonly errorFlag: boolean
  /** Reads `cacheControl` of Anthropic. */
  readonly cacheMarks: boolean
  /** Models take images. */
  readonly images: boolean
  /** Takes a schema as strict unless told otherwise, and changes it for that. */
  readonly strictByDefault: boolean
  /** What the model thought stands for itself: it may stay where a hook has changed the words behind it. */
  readonly thoughtsStandAlone: boolean
}

const UNKNOWN: Traits = {
  mediaInResults: false,
  errorFlag: false,
  cacheMarks: false,
  images: false,
  strictByDefault: false,
  thoughtsStandAlone: false,
}

const ANTHROPIC: Traits = {
  ...UNKNOWN,
  mediaInResults: true,
  errorFlag: true,
  cacheMarks: true,
  images: true,
  thoughtsStandAlone: true,
}

/** @param provider as the AI SDK names it: `anthropic.messages`, `openai.responses`, `vertex.anthropic.messages` */
export function traitsOf(provider: string): Traits {
  if (provider.split('.').includes('anthropic')) return ANTHROPIC
  if (provider === 'openai.responses') {
    return { ...UNKNOWN, mediaInResults: true, images: true, strictByDefault: true }
  }
  return { ...UNKNOWN, images: provider.startsWith('openai.') || provider.startsWith('google.') }
}
