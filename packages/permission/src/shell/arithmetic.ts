import { executes } from './environment.js'
import { expandParts, spanOf } from './expand.js'
import type { ArithmeticExpression } from './parse.js'
import type { Place, Shell } from './shell.js'
import type { State } from './state.js'

/** Runs what is substituted in an arithmetic expression. Its value is never worked out. */
export function arithmetic(shell: Shell, expression: ArithmeticExpression, state: State, place: Place): void {
  switch (expression.type) {
    case 'ArithmeticBinary':
      if (/(?:^|[^=!<>])=$/.test(expression.operator)) assigned(shell, expression.left, place)
      arithmetic(shell, expression.left, state, place)
      arithmetic(shell, expression.right, state, place)
      return
    case 'ArithmeticUnary':
      if (/^(?:\+\+|--)$/.test(expression.operator)) assigned(shell, expression.operand, place)
      arithmetic(shell, expression.operand, state, place)
      return
    case 'ArithmeticTernary':
      arithmetic(shell, expression.test, state, place)
      arithmetic(shell, expression.consequent, state, place)
      arithmetic(shell, expression.alternate, state, place)
      return
    case 'ArithmeticGroup':
      arithmetic(shell, expression.expression, state, place)
      return
    case 'ArithmeticCommandExpansion':
      if (expression.script) {
        const span = expression.script.source === undefined ? {} : { span: spanOf(expression, place) }
        shell.script(expression.script, state, {
          ...place,
          ...span,
          via: [...place.via, '$()'],
          depth: place.depth + 1,
        })
      } else unclear(shell, "A substitution can't be parsed", expression, place)
      return
    case 'ArithmeticWord': {
      if (expression.parts) expandParts(shell, expression.parts, state, place)
      // The value of a variable is an expression again, down to the substitutions in its subscripts.
      for (const name of expression.value.match(/[A-Za-z_]\w*/g) ?? []) {
        const evaluates = state.variables.get(name)?.values.some((value) => /[[$`]/.test(value))
        if (evaluates)
          unclear(
            shell,
            `The value of \`${name}\` is evaluated as an expression, which can run commands`,
            expression,
            place,
          )
      }
      return
    }
    default:
      unclear(shell, `\`${(expression as { type: string }).type}\` is not understood`, expression, place)
  }
}

function assigned(shell: Shell, target: ArithmeticExpression, place: Place): void {
  const name = target.type === 'ArithmeticWord' ? target.value : ''
  if (!executes(name)) return
  const message = `\`${name}\` can change what later commands run.`
  shell.report.unknown({ code: 'environment', message, span: spanOf(target, place) })
}

function unclear(
  shell: Shell,
  message: string,
  node: { readonly pos: number; readonly end: number },
  place: Place,
): void {
  shell.report.unknown({ code: 'expansion', message: `${message}.`, span: spanOf(node, place) })
}
