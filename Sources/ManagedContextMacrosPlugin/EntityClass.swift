#if Macros
  internal import SwiftSyntax

  /// A class with `@Entity`.
  struct EntityClass {
    let name: String
    /// The access level of what the macro declares, with a space; empty for the default.
    let access: String
    private(set) var properties: [EntityProperty] = []
    /// The mistakes in properties.
    private(set) var mistakes: [any Error] = []
    /// The names of properties with mistakes.
    private var refused: Set<String> = []

    /// Reads a class. Throws if it cannot be an entity; mistakes in properties are in `mistakes`.
    init(_ declaration: some SyntaxProtocol) throws {
      guard let declaration = declaration.as(ClassDeclSyntax.self) else {
        throw declaration.mistake("@Entity is for classes that derive from ManagedObject or HookedObject")
      }
      name = declaration.name.text
      guard declaration.inheritanceClause != nil else {
        throw declaration.name.mistake(
          "\(name) must derive from ManagedObject or HookedObject to be an entity")
      }
      let modifiers = declaration.modifiers.map(\.name.text)
      guard modifiers.contains("final") else {
        throw declaration.name.mistake("\(name) must be final to be an entity")
      }
      access = modifiers.first { ["public", "package"].contains($0) }.map { $0 + " " } ?? ""
      for variable in declaration.memberBlock.members.compactMap({ $0.decl.as(VariableDeclSyntax.self) })
      where variable.isStored {
        do {
          properties.append(try EntityProperty(variable))
        } catch {
          mistakes.append(error)
          refused.formUnion(variable.bindings.map(\.pattern.trimmedDescription))
        }
      }
    }

    /// Returns the closure with the columns of some lists of names: `{ [[$0.guid]] }` for `[["guid"]]`.
    mutating func columns(_ lists: ExprSyntax) -> String {
      var columns: [String] = []
      for list in lists.as(ArrayExprSyntax.self)?.elements.map(\.expression) ?? [lists] {
        let names = list.as(ArrayExprSyntax.self)?.elements.map(\.expression) ?? [list]
        let found = names.compactMap { column($0) }
        if !found.isEmpty { columns.append("[\(found.joined(separator: ", "))]") }
      }
      return columns.isEmpty ? "{ _ in [] }" : "{ [\(columns.joined(separator: ", "))] }"
    }

    private mutating func column(_ expression: ExprSyntax) -> String? {
      do {
        let wanted = try expression.literalText()
        let found = properties.first { $0.kind != .toMany && [$0.name, $0.column].contains(wanted) }
        if found == nil, !refused.contains(wanted) {
          throw expression.mistake("“\(wanted)” is not stored in \(name)")
        }
        return found.map { "$0.\($0.name)" }
      } catch {
        mistakes.append(error)
        return nil
      }
    }
  }
#endif
