extension FetchPredicate {
  /// Selects objects with a text attribute that equals a text, except for ignored differences.
  public static func equals<Text: TextAttribute>(
    _ path: any KeyPath<Object, Text> & Sendable, _ text: String, _ options: TextOptions
  ) -> FetchPredicate { match(path, .whole, text, options) }

  /// Selects objects with a text attribute that starts with a prefix.
  public static func hasPrefix<Text: TextAttribute>(
    _ path: any KeyPath<Object, Text> & Sendable, _ prefix: String, _ options: TextOptions = []
  ) -> FetchPredicate { match(path, .prefix, prefix, options) }

  /// Selects objects with a text attribute that ends with a suffix.
  public static func hasSuffix<Text: TextAttribute>(
    _ path: any KeyPath<Object, Text> & Sendable, _ suffix: String, _ options: TextOptions = []
  ) -> FetchPredicate { match(path, .suffix, suffix, options) }

  /// Selects objects with a text attribute that contains another text.
  public static func contains<Text: TextAttribute>(
    _ path: any KeyPath<Object, Text> & Sendable, _ part: String, _ options: TextOptions = []
  ) -> FetchPredicate { match(path, .part, part, options) }

  /// Selects objects with a text attribute that a pattern covers completely.
  ///
  /// - Parameters:
  ///   - path: The attribute.
  ///   - pattern: The pattern: `*` stands for any text, `?` for one Unicode scalar, and a backslash makes the next
  ///     character an ordinary one.
  ///   - options: The differences to ignore. A `?` then stands for a scalar of the folded text, where `ß` is `ss`.
  public static func like<Text: TextAttribute>(
    _ path: any KeyPath<Object, Text> & Sendable, _ pattern: String, _ options: TextOptions = []
  ) -> FetchPredicate { match(path, .pattern, pattern, options) }

  private static func match<Text: TextAttribute>(
    _ path: any KeyPath<Object, Text> & Sendable, _ match: StorePredicate.Match, _ text: String,
    _ options: TextOptions
  ) -> FetchPredicate {
    let path = PropertyPath(path)
    return FetchPredicate { (model) throws(StoreError) in
      try model.condition(at: path, holdsForNull: false) { _, index in .match(index, match, text, options) }
    }
  }
}
