// The only module that knows which parser is used.
export {
  type ArithmeticExpression,
  type Assignment,
  type Command,
  type CommandNode,
  type CompoundList,
  type ParsedScript,
  parse,
  type Redirection,
  type Statement,
  type TestExpression,
  type Word,
  type WordPart as Part,
} from 'unbash'
