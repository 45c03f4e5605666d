#if Macros
  internal import SwiftSyntax
  internal import SwiftSyntaxBuilder
  internal import SwiftSyntaxMacros

  /// `@Attribute` and `@Relationship`: makes a property read and write the object's values.
  enum PropertyMacro: AccessorMacro {
    static func expansion(
      of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
      in context: some MacroExpansionContext
    ) -> [AccessorDeclSyntax] {
      let owner = context.lexicalContext.first?.as(ClassDeclSyntax.self)
      let attributes = owner?.attributes.compactMap { $0.as(AttributeSyntax.self) } ?? []
      if !attributes.contains(where: { $0.isNamed("Entity") }) {
        let name = node.attributeName.trimmedDescription
        let mistake = node.mistake("@\(name) is for properties of a class with @Entity")
        context.addDiagnostics(from: mistake, node: node)
      } else if let owner, let entity = try? EntityClass(owner),
        let property = try? declaration.as(VariableDeclSyntax.self).map(EntityProperty.init)
      {
        return accessors(of: property, in: entity)
      }
      // No other error follows from a mistake that was reported.
      return ["get { preconditionFailure() }", "set {}"]
    }

    /// Returns accessors with the class's name, because a key path from `Self` would fail when it is made.
    private static func accessors(of property: EntityProperty, in entity: EntityClass) -> [AccessorDeclSyntax]
    {
      let path = "\\\(entity.name).\(property.name)"
      let key = "\(entity.name).schema.\(property.name)"
      let isRelationship = property.kind == .toOne || property.kind == .toMany
      let value = isRelationship ? "self[\(key)]" : "self[stored: \(key)]"
      var probe = ""
      if property.kind == .toOne {
        probe = "if isFault, let probe = related(at: \(path), column: \(key).index) { return probe }\n"
      }
      let index = property.kind == .toMany ? "toMany" : "column"
      return [
        """
        get {
          \(raw: probe)return \(raw: value)
        }
        """,
        """
        set {
          if isFault, isProbed(at: \(raw: path), \(raw: index): \(raw: key).index) { return }
          \(raw: value) = newValue
        }
        """,
      ]
    }
  }
#endif
