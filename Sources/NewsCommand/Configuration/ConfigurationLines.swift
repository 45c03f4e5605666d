/// Finds the lines of keys in a configuration file, for messages.
///
/// It reads valid TOML line by line. It finds only keys at the beginning of a line.
struct ConfigurationLines {
  private struct Section {
    let path: [String]
    let line: Int
    var keys: [String: Int] = [:]
    /// The value of `url`, as written between its quotation marks.
    var url: String?
  }

  private var sections = [Section(path: [], line: 0)]

  init(_ text: String) {
    var isInText = false
    let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      defer { if !Self.tripleQuotes(in: line).isMultiple(of: 2) { isInText.toggle() } }
      if isInText { continue }
      let start = line.drop(while: \.properties.isWhitespace)
      if start.first == "[" {
        let name = start.drop { $0 == "[" }.prefix { $0 != "]" }
        if name.endIndex < start.endIndex {
          sections.append(Section(path: Self.parts(of: name), line: index + 1))
        }
      } else if let equals = start.firstIndex(of: "="), !start[..<equals].contains("#") {
        let parts = Self.parts(of: start[..<equals])
        sections[sections.count - 1].keys[parts.joined(separator: ".")] = index + 1
        if parts == ["url"] { sections[sections.count - 1].url = Self.quoted(start[equals...].dropFirst()) }
      }
    }
  }

  /// Returns the number of triple quotation marks, which begin and end texts of several lines.
  private static func tripleQuotes(in line: String.UnicodeScalarView.SubSequence) -> Int {
    var (count, run) = (0, (mark: Unicode.Scalar("="), length: 0))
    for scalar in line {
      run = scalar == run.mark ? (scalar, run.length + 1) : (scalar, 1)
      guard run.length == 3 else { continue }
      if scalar == "\"" || scalar == "'" { count += 1 }
      run.length = 0
    }
    return count
  }

  /// Returns the text between the quotation marks at the beginning of a value; nil without them.
  private static func quoted(_ value: String.UnicodeScalarView.SubSequence) -> String? {
    let start = value.drop(while: \.properties.isWhitespace)
    guard let mark = start.first, mark == "\"" || mark == "'" else { return nil }
    let text = start.dropFirst().prefix { $0 != mark }
    return text.endIndex < start.endIndex ? String(text) : nil
  }

  /// Returns the line of a key in a table, or of the table with that name; nil if it is not found.
  func line(of key: String, in table: [String]) -> Int? {
    let found = sections.compactMap { section -> Int? in
      if section.path == table, let line = section.keys[key] { return line }
      // Dotted keys in an enclosing table.
      if table.starts(with: section.path),
        let line = section.keys[(table.dropFirst(section.path.count) + [key]).joined(separator: ".")]
      {
        return line
      }
      return section.path == table + [key] ? section.line : nil
    }
    return found.count == 1 ? found[0] : nil
  }

  /// Returns the line of an error's place, such as `fetch.jobs`, `region.world` or `feed number 2.interval`.
  /// If the key is missing or in an inline table, returns the line of its enclosing table or key; nil if that
  /// is not found.
  func line(ofPlace place: String) -> Int? {
    var places: [(name: String, line: Int)] = []
    var feeds = 0
    var url: String?
    for section in sections {
      if section.path == ["feed"] { (feeds, url) = (feeds + 1, section.url) }
      var names = [section.path.joined(separator: ".")]
      if section.path.first == "feed" {
        let rest = section.path.dropFirst().map { ".\($0)" }.joined()
        names += ["feed number \(feeds)\(rest)"] + (url.map { ["feed \($0)\(rest)"] } ?? [])
      }
      for name in names {
        if section.line > 0 { places.append((name, section.line)) }
        places += section.keys.map { (name.isEmpty ? $0.key : "\(name).\($0.key)", $0.value) }
      }
    }
    if let exact = places.first(where: { $0.name == place }) { return exact.line }
    // The place may be the beginning of dotted keys.
    if let line = places.filter({ $0.name.hasPrefix("\(place).") }).map(\.line).min() { return line }
    return places.filter { place.hasPrefix("\($0.name).") }.max { $0.name.count < $1.name.count }?.line
  }

  /// Returns the line of a key in the table of a feed; nil if it is not found.
  ///
  /// - Parameter url: The address in the table, in any spelling.
  func line(of key: String, inFeed url: String, isSame: (String) -> Bool) -> Int? {
    guard let place = sections.firstIndex(where: { $0.path == ["feed"] && $0.url.map(isSame) ?? false })
    else {
      return nil
    }
    if let line = sections[place].keys[key] { return line }
    return sections[(place + 1)...].prefix { $0.path.count > 1 && $0.path[0] == "feed" }
      .first { $0.path == ["feed", key] }?.line
  }

  /// Returns the parts of a dotted key.
  private static func parts(of key: String.UnicodeScalarView.SubSequence) -> [String] {
    var parts = [String.UnicodeScalarView()]
    var quote: Unicode.Scalar?
    for scalar in key {
      if let mark = quote {
        if scalar == mark { quote = nil } else { parts[parts.count - 1].append(scalar) }
      } else if scalar == "\"" || scalar == "'" {
        quote = scalar
      } else if scalar == "." {
        parts.append(String.UnicodeScalarView())
      } else if !scalar.properties.isWhitespace {
        parts[parts.count - 1].append(scalar)
      }
    }
    return parts.map { String($0) }
  }
}
