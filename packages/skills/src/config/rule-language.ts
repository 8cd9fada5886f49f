import type { CompiledRule, ParsedRule, Rule, RuleContext } from '@ext/permission/rule'

/**
 * The language that tool lists are written in. It is loaded with the first skill that has one: most have none, and it
 * costs more than reading a hundred of those.
 */
export interface RuleLanguage {
  /** Afterwards the two others may be called. */
  load(): Promise<void>
  parse(text: string): ParsedRule
  compile(rule: Rule, context: RuleContext): CompiledRule
}

export function createRuleLanguage(): RuleLanguage {
  let language: typeof import('@ext/permission/rule') | undefined
  const loaded = () => {
    if (!language) throw new Error('The rule language is used before it is loaded.')
    return language
  }
  return {
    async load() {
      language ??= await import('@ext/permission/rule')
    },
    parse: (text) => loaded().parseRule(text),
    compile: (rule, context) => loaded().compileRule(rule, context),
  }
}
