// Reads TypeScript sources with the compiler's own parser (TypeScript 6: version 7 has no JavaScript API) and tells
// what the import rules need to know. Nothing is resolved and no file is touched.
import ts from 'typescript'

const GLOBALS = new Set(['console', 'process', 'Buffer'])

/**
 * @param {readonly {path: string, text: string}[]} files
 * @returns {Map<string, ModuleFacts>} by path
 *
 * @typedef {object} ModuleFacts
 * @property {{specifier: string | undefined, line: number}[]} imports `undefined` for a specifier that is computed
 * @property {{name: string, line: number}[]} globals uses of `console`, `process` and `Buffer` as globals
 * @property {{text: string, line: number}[]} strings string literals that are values, not types
 * @property {{head: string, tail: string}[]} templates what stands before the first and after the last hole
 * @property {{text: string, line: number}[]} patterns regular expressions
 * @property {{name: string, line: number}[]} keys property names that are written as string literals
 * @property {{message: string, line: number}[]} problems what the parser could not read
 * @property {number} statements
 */
export function readModules(files) {
  const texts = new Map(files.map(({ path, text }) => [path, text]))
  const program = ts.createProgram([...texts.keys()], { noLib: true, noResolve: true, types: [] }, memoryHost(texts))
  const checker = program.getTypeChecker()
  return new Map(files.map(({ path }) => [path, readModule(program.getSourceFile(path), checker)]))
}

function memoryHost(texts) {
  return {
    getSourceFile: (path, options) =>
      texts.has(path) ? ts.createSourceFile(path, texts.get(path), options, true) : undefined,
    fileExists: (path) => texts.has(path),
    readFile: (path) => texts.get(path),
    writeFile: () => {},
    getDefaultLibFileName: () => '',
    getCurrentDirectory: () => '',
    getCanonicalFileName: (path) => path,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => '\n',
  }
}

function readModule(file, checker) {
  const lineOf = (node) => file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1
  const facts = {
    imports: [],
    globals: [],
    strings: [],
    templates: [],
    patterns: [],
    keys: [],
    problems: file.parseDiagnostics.map(({ messageText, start }) => ({
      message: ts.flattenDiagnosticMessageText(messageText, ' '),
      line: file.getLineAndCharacterOfPosition(start).line + 1,
    })),
    statements: file.statements.length,
  }
  for (const { fileName, pos } of [...file.typeReferenceDirectives, ...file.referencedFiles]) {
    facts.imports.push({ specifier: fileName, line: file.getLineAndCharacterOfPosition(pos).line + 1 })
  }
  visit(file)
  return facts

  function visit(node) {
    const line = lineOf(node)
    const imported = importedBy(node)
    if (imported) {
      const specifier = ts.isStringLiteralLike(imported) ? imported.text : undefined
      facts.imports.push({ specifier, line })
    } else if (ts.isIdentifier(node) && GLOBALS.has(node.text) && isGlobalUse(node, checker)) {
      facts.globals.push({ name: node.text, line })
    } else if (ts.isTemplateExpression(node)) {
      facts.templates.push({ head: node.head.text, tail: node.templateSpans.at(-1).literal.text })
    } else if (ts.isRegularExpressionLiteral(node)) {
      facts.patterns.push({ text: node.text, line })
    } else if (ts.isStringLiteralLike(node) && !ts.isLiteralTypeNode(node.parent)) {
      if (ts.isPropertyAssignment(node.parent) && node.parent.name === node) facts.keys.push({ name: node.text, line })
      else facts.strings.push({ text: node.text, line })
    }
    ts.forEachChild(node, visit)
  }
}

/** The expression that names a module, if `node` is any of the ways to import or find one. */
function importedBy(node) {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier
  if (ts.isExternalModuleReference(node)) return node.expression
  if (ts.isImportTypeNode(node)) return node.argument.literal
  if (ts.isModuleDeclaration(node) && ts.isStringLiteral(node.name)) return node.name
  if (ts.isCallExpression(node)) {
    const callee = node.expression
    const isImport =
      callee.kind === ts.SyntaxKind.ImportKeyword ||
      ['require', 'require.resolve', 'import.meta.resolve'].includes(callee.getText())
    if (isImport) return node.arguments[0]
  }
  return undefined
}

/** Whether the name means the global: a parameter or variable called `process` (such as a port) is no use of it. */
function isGlobalUse(node, checker) {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) return parent.expression.getText() === 'globalThis'
  if (ts.isBindingElement(parent) && parent.propertyName === node) return false
  if (ts.isShorthandPropertyAssignment(parent)) return !checker.getShorthandAssignmentValueSymbol(parent)
  return !checker.getSymbolAtLocation(node)
}
