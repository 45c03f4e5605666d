import NewsConfiguration

/// Builds a manual page with the man(7) macros.
struct ManualPage {
  /// The page as troff.
  private(set) var text: String

  /// Begins a page.
  init(_ name: String, section: Int, _ volume: String, abstract: String) {
    text = """
      .TH \(name.uppercased()) \(section) \(Version.date) "newsimport \(Version.number)" "\(volume)"
      .nh
      .ad l
      .SH NAME
      \(Self.escaped(name)) \\- \(Self.escaped(abstract))

      """
  }

  mutating func section(_ title: String) { text += ".SH \(Self.quoted(title.uppercased()))\n" }

  mutating func subsection(_ title: String) { text += ".SS \(Self.quoted(title))\n" }

  /// Adds text, filled and wrapped. Empty lines separate paragraphs; indented lines are printed unchanged.
  mutating func paragraphs(_ body: String) {
    let lines = body.split(separator: "\n", omittingEmptySubsequences: false)
    var index = 0
    while index < lines.count {
      let isLiteral = lines[index].hasPrefix("  ")
      let block = lines[index...].prefix { !$0.isEmpty && $0.hasPrefix("  ") == isLiteral }
      if !block.isEmpty {
        paragraph()
        text +=
          isLiteral
          ? ".RS 4\n.nf\n" + block.map { Self.line($0.drop { $0 == " " }) + "\n" }.joined() + ".fi\n.RE\n"
          : Self.filled(block.joined(separator: " "))
      }
      index = max(index + 1, block.endIndex)
    }
  }

  /// Begins a paragraph, unless the page is directly after a heading.
  private mutating func paragraph() {
    let last = text.dropLast().split(separator: "\n").last ?? ""
    if !last.hasPrefix(".S") { text += ".PP\n" }
  }

  /// Adds a synopsis; its words may have the markup of ``bold(_:)`` and ``italic(_:)``.
  mutating func synopsis(_ words: [String]) {
    paragraph()
    text += words.map { $0.replacing(" ", with: "\\ ") }.joined(separator: "\n") + "\n"
  }

  /// Adds a term in bold, with its explanation.
  ///
  /// - Parameter term: The term with markup.
  mutating func item(_ term: String, _ explanation: String) {
    text += ".TP\n\(term)\n" + Self.filled(explanation)
  }

  static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }

  static func italic(_ text: String) -> String { "\\fI\(escaped(text))\\fR" }

  /// Escapes text so that a formatter prints it unchanged.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      case "\"": result += "\\(dq"
      case "…": result += "..."
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Returns text in lines of up to 80 characters, which formatters fill again.
  private static func filled(_ text: String) -> String {
    var lines = [""]
    for word in text.split(separator: " ").map({ escaped(String($0)) }) {
      if lines[lines.count - 1].isEmpty {
        lines[lines.count - 1] = word
      } else if lines[lines.count - 1].utf8.count + word.utf8.count < 79 {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(word)
      }
    }
    return lines.map { ($0.hasPrefix(".") ? "\\&" : "") + $0 + "\n" }.joined()
  }

  /// Returns a line; a point at its beginning is not read as a macro.
  private static func line(_ text: some StringProtocol) -> String {
    (text.hasPrefix(".") ? "\\&" : "") + escaped(String(text))
  }

  private static func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }
}
