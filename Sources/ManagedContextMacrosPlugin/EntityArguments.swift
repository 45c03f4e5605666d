#if Macros
  internal import SwiftDiagnostics
  internal import SwiftParser
  internal import SwiftSyntax
  internal import SwiftSyntaxMacros

  /// The arguments of `@Attribute` or `@Relationship`.
  struct EntityArguments {
    /// The first argument, the name in the store; nil without one.
    private(set) var name: String?
    /// The other arguments as the schema has them: the inverse is a key path there.
    private(set) var others: [String] = []
    private(set) var labels: Set<String> = []

    init(_ macro: AttributeSyntax) throws {
      for (index, argument) in macro.listedArguments.enumerated() {
        let label = argument.label?.text
        if let label { labels.insert(label) }
        switch label {
        case nil where index == 0: name = try argument.expression.literalText()
        case "inverse": others.append("inverse: \\.\(try argument.expression.literalText())")
        default: others.append(argument.with(\.trailingComma, nil).trimmedDescription)
        }
      }
    }
  }

  extension AttributeSyntax {
    var listedArguments: LabeledExprListSyntax { arguments?.as(LabeledExprListSyntax.self) ?? [] }

    /// Returns true for `@Name` and `@ManagedContextMacros.Name`.
    func isNamed(_ name: String) -> Bool {
      [name, "ManagedContextMacros.\(name)"].contains(attributeName.trimmedDescription)
    }
  }

  extension ExprSyntax {
    /// Returns the text of a string literal.
    func literalText() throws -> String {
      guard let text = self.as(StringLiteralExprSyntax.self)?.representedLiteralValue else {
        throw mistake("write the name as a string literal, which the macro can read")
      }
      return text
    }
  }

  extension SyntaxProtocol {
    /// Returns an error at this piece of the source.
    func mistake(_ message: String) -> DiagnosticsError {
      DiagnosticsError(diagnostics: [Diagnostic(node: self, message: MacroExpansionErrorMessage(message))])
    }
  }
#endif
