#if Macros
  internal import SwiftSyntax
  internal import SwiftSyntaxBuilder
  internal import SwiftSyntaxMacros

  /// `@Entity`: declares the schema of a class out of its stored properties.
  enum EntityMacro: MemberMacro {
    static func expansion(
      of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
      conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
      var entity = try EntityClass(declaration)
      let access = entity.access
      let (name, arguments) = arguments(of: node, &entity)
      for mistake in entity.mistakes { context.addDiagnostics(from: mistake, node: node) }
      // Properties with mistakes stay stored, and most have no value.
      let stubs: [DeclSyntax] =
        entity.mistakes.isEmpty
        ? []
        : ["\(raw: access)required init(_ seed: ManagedContext.ManagedObjectSeed) { preconditionFailure() }"]
      return stubs + [
        "\(raw: access)override class var entityName: String { \(raw: name) }",
        """
        \(raw: access)struct Schema: Sendable {
        \(raw: entity.properties.map { member($0, in: context) }.joined(separator: "\n"))
        }
        """,
        """
        \(raw: access)static let entity: ManagedContext.EntityDeclaration<Schema> =
          ManagedContext.EntityDeclaration(\(raw: arguments.joined(separator: ", ")))
        """,
      ]
    }

    /// Returns the entity's name as it is written, and the arguments of its declaration.
    private static func arguments(of node: AttributeSyntax, _ entity: inout EntityClass) -> (String, [String])
    {
      var name = "\"\(entity.name)\""
      var arguments = ["\(entity.name).self", "Schema()"]
      var oldNames: [String] = []
      for (index, argument) in node.listedArguments.enumerated() {
        let written = argument.expression.trimmedDescription
        switch argument.label?.text {
        case "unique": arguments.append("unique: \(entity.columns(argument.expression))")
        case "indexes": arguments.append("indexes: \(entity.columns(argument.expression))")
        case "history": arguments.append("history: { _ in \(written) }")
        case nil where index == 0: name = written
        default: oldNames.append(argument.with(\.trailingComma, nil).trimmedDescription)
        }
      }
      return (name, arguments + oldNames)
    }

    /// Returns a member of the schema, in which the compiler reports mistakes at the property.
    private static func member(_ property: EntityProperty, in context: some MacroExpansionContext) -> String {
      let place = context.location(of: property.binding, at: .afterLeadingTrivia, filePathMode: .filePath)
      guard let place else { return property.schemaMember }
      return """
        #sourceLocation(file: \(place.file), line: \(place.line))
        \(property.schemaMember)
        #sourceLocation()
        """
    }
  }

  extension EntityMacro: MemberAttributeMacro {
    static func expansion(
      of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
      providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) -> [AttributeSyntax] {
      guard declaration.is(ClassDeclSyntax.self), let variable = member.as(VariableDeclSyntax.self),
        variable.isStored, variable.entityMacro == nil, (try? EntityProperty(variable)) != nil
      else { return [] }
      return ["@ManagedContextMacros.Attribute"]
    }
  }

  extension EntityMacro: ExtensionMacro {
    static func expansion(
      of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
      providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
      in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
      guard !protocols.isEmpty, (try? EntityClass(declaration)) != nil else { return [] }
      return [try ExtensionDeclSyntax("extension \(type.trimmed): ManagedContext.Entity {}")]
    }
  }
#endif
