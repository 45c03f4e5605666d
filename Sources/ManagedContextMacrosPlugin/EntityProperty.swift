#if Macros
  internal import SwiftSyntax

  /// A stored property of an entity's class: an attribute or a relationship.
  struct EntityProperty {
    enum Kind: Equatable { case attribute, reference, toOne, toMany }

    let binding: PatternBindingSyntax
    /// The property's name, with the backticks of a keyword.
    let name: String
    let kind: Kind
    /// The name in the store.
    let column: String
    /// The declaration in the schema.
    let schemaMember: String

    /// Reads a stored property. Throws a mistake that the compiler would not find, or not at this property.
    init(_ variable: VariableDeclSyntax) throws {
      binding = try variable.entityBinding()
      let name = binding.pattern.trimmedDescription
      self.name = name
      let macro = variable.entityMacro
      let arguments = try macro.map { try EntityArguments($0) }
      let initial = binding.initializer?.value
      let annotation = binding.typeAnnotation?.type
      guard let type = annotation?.trimmedDescription ?? initial?.literalType else {
        throw binding.mistake("the attribute “\(name)” needs a type")
      }
      let key: String
      if macro?.isNamed("Relationship") != true {
        (kind, key) = (.attribute, "Attribute<\(type)>")
      } else if arguments?.labels.contains("to") == true {
        (kind, key) = (.reference, "Attribute<\(type)>")
      } else if let destination = annotation?.as(ArrayTypeSyntax.self)?.element.trimmedDescription {
        (kind, key) = (.toMany, "ToMany<\(destination)>")
      } else if let destination = annotation?.as(OptionalTypeSyntax.self)?.wrappedType.trimmedDescription {
        (kind, key) = (.toOne, "ToOne<\(destination)>")
        guard arguments?.labels.contains("inverse") == true else {
          throw binding.mistake(
            "the relationship “\(name)” needs the inverse: a property of \(destination) that leads back")
        }
      } else {
        throw binding.mistake(
          "the relationship “\(name)” leads to one object (`\(type)?`) or to many (`[\(type)]`)")
      }
      column = arguments?.name ?? name.filter { $0 != "`" }
      guard !["id", "version"].contains(column.lowercased()) else {
        throw binding.mistake("every object has its own “\(column)”; give the attribute another name")
      }
      if let initial { try Self.check(initial, name, kind) }
      let values =
        ["\"\(column)\""] + (initial.map { ["default: \($0.trimmedDescription)"] } ?? [])
        + (arguments?.others ?? [])
      schemaMember =
        "\(variable.accessInSchema)let \(name) = ManagedContext.\(key)(\(values.joined(separator: ", ")))"
    }

    private static func check(_ initial: ExprSyntax, _ name: String, _ kind: Kind) throws {
      guard kind == .attribute else {
        throw initial.mistake("the relationship “\(name)” cannot have a default value")
      }
      if ["Date()", "Date.now", ".now", "UUID()", "UUID().uuidString"].contains(initial.trimmedDescription) {
        throw initial.mistake(
          "the default of “\(name)” is one value for all objects; set it in awakeFromInsert() instead")
      }
    }
  }

  extension VariableDeclSyntax {
    /// True unless the declaration is computed or lazy, or belongs to the class itself.
    var isStored: Bool {
      let others = ["static", "class", "lazy", "override"]
      return !modifiers.contains { others.contains($0.name.text) }
        && bindings.contains { binding in
          switch binding.accessorBlock?.accessors {
          case nil: true
          case .getter: false
          case .accessors(let list):
            list.allSatisfy { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
          }
        }
    }

    /// `@Attribute` or `@Relationship`; nil without either.
    var entityMacro: AttributeSyntax? {
      attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }
        .first { $0.isNamed("Attribute") || $0.isNamed("Relationship") }
    }

    /// Returns the only binding of a property that an entity can store.
    fileprivate func entityBinding() throws -> PatternBindingSyntax {
      guard let binding = bindings.first, bindings.count == 1,
        binding.pattern.is(IdentifierPatternSyntax.self)
      else { throw mistake("declare each property of an entity on its own") }
      let name = binding.pattern.trimmedDescription
      if bindingSpecifier.text == "let" {
        throw bindingSpecifier.mistake(
          "“\(name)” must be a var, because a store reads it; use private(set) to protect it")
      }
      if let observers = binding.accessorBlock {
        throw observers.mistake(
          "“\(name)” cannot have observers; use willSave() or didSave() of HookedObject")
      }
      return binding
    }

    /// The access level in the schema. A private property is used in the class, which is outside of the schema.
    fileprivate var accessInSchema: String {
      let levels = ["public", "package", "internal", "fileprivate", "private"]
      let level = modifiers.first { $0.detail == nil && levels.contains($0.name.text) }?.name.text
      return level.map { ($0 == "private" ? "fileprivate" : $0) + " " } ?? ""
    }
  }

  extension ExprSyntax {
    /// The type of a literal; nil for another expression.
    fileprivate var literalType: String? {
      switch kind {
      case .integerLiteralExpr: "Int"
      case .floatLiteralExpr: "Double"
      case .booleanLiteralExpr: "Bool"
      case .stringLiteralExpr: "String"
      case .prefixOperatorExpr: self.as(PrefixOperatorExprSyntax.self)?.expression.literalType
      default: nil
      }
    }
  }
#endif
