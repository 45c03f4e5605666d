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
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let marks = line.matches(of: #/"""|'''/#).count
      defer { if !marks.isMultiple(of: 2) { isInText.toggle() } }
      if isInText { continue }
      let number = index + 1
      if let match = line.prefixMatch(of: #/\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$/#) {
        sections.append(Section(path: Self.parts(of: match.output.1), line: number))
      } else if let match = line.prefixMatch(of: #/\s*([A-Za-z0-9_.\-"' ]+?)\s*=\s*(?:"([^"]*)"|'([^']*)')?/#)
      {
        let parts = Self.parts(of: match.output.1)
        sections[sections.count - 1].keys[parts.joined(separator: ".")] = number
        if parts == ["url"] {
          sections[sections.count - 1].url = (match.output.2 ?? match.output.3).map(String.init)
        }
      }
    }
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
  private static func parts(of key: some StringProtocol) -> [String] {
    var parts = [String.UnicodeScalarView()]
    var quote: Unicode.Scalar?
    for scalar in key.unicodeScalars {
      if let mark = quote {
        if scalar == mark { quote = nil } else { parts[parts.count - 1].append(scalar) }
      } else if scalar == "\"" || scalar == "'" {
        quote = scalar
      } else if scalar == "." {
        parts.append(String.UnicodeScalarView())
      } else if scalar != " " {
        parts[parts.count - 1].append(scalar)
      }
    }
    return parts.map { String($0) }
  }
}
