#if Macros
  internal import SwiftCompilerPlugin
  internal import SwiftSyntaxMacros

  @main struct Plugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [EntityMacro.self, PropertyMacro.self]
  }
#else
  /// Without the trait `Macros` the compiler finds no macro here.
  @main enum Plugin {
    static func main() {}
  }
#endif
