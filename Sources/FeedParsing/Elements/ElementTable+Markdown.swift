extension ElementTable {
  /// The table for the reference page, in Markdown: a row for each element at each place, in the table's
  /// order.
  package static var markdown: String {
    rows.reduce(into: "| place | element | fills | rank |\n|---|---|---|---|\n") { text, row in
      let prefix = prefix(of: row.vocabularies)
      let elements = row.names.map { "`\(prefix)\($0.spelling)`" }.joined(separator: ", ")
      let (field, rank) = description(of: row.rule)
      if let field { text += "| \(row.place) | \(elements) | \(words(of: field)) | \(rank) |\n" }
    }
  }

  /// Returns the usual prefix for vocabularies, or the format names.
  private static func prefix(of vocabularies: [Vocabulary]) -> String {
    if vocabularies == rss { return "RSS " }
    if vocabularies == atom { return "Atom " }
    return vocabularies == core ? "" : vocabularies[0].usualPrefix.map { "\($0):" } ?? ""
  }

  /// Returns the words in a name such as `feedTitle` or `personURL`.
  private static func words(of name: String) -> String {
    let letters = Array(name)
    return letters.indices.reduce(into: "") { words, index in
      let (letter, beginsWord) = (letters[index], index > 0 && letters[index - 1].isLowercase)
      guard letter.isUppercase, beginsWord else { return words.append(letter) }
      let isAcronym = index + 1 < letters.count && letters[index + 1].isUppercase
      words += " " + (isAcronym ? String(letter) : letter.lowercased())
    }
  }

  /// Returns the field that a rule fills, and its source's rank. The field is nil if the rule itself fills
  /// none.
  private static func description(of rule: ElementRule) -> (field: String?, rank: String) {
    switch rule {
    case .skip, .open, .special(.item), .special(.nestedItem): (nil, "")
    case .text(let field, _, let rank): ("\(field)", "\(rank)")
    case .member(let kind, _), .address(let kind), .parent(let kind): ("\(kind)", "")
    case .author(let rank): ("author", "\(rank)")
    case .person(let purpose): ("\(purpose)", "")
    case .special(let special): ("\(special)", "")
    }
  }
}
