/// The feeds in sfeed's file `sfeedrc`: its commands `feed NAME ADDRESS`. The file is a shell script, which
/// is not run.
///
/// Variables have the values that the script gives them in plain assignments.
struct SfeedConfiguration: Sendable {
  /// A feed with an address.
  struct Feed: Sendable, Equatable {
    let name: String
    let address: String
  }

  /// The feeds in script order.
  private(set) var feeds: [Feed] = []
  /// The numbers of lines with feeds that only a shell could determine.
  private(set) var unreadLines: [Int] = []

  private var variables: [[UInt8]: String] = [:]

  /// A word in a command; `text` is nil if only a shell could determine it.
  private struct Word {
    var text: String?
    /// True if no part of it was quoted or replaced, so that it may be a reserved word or an assignment.
    var isPlain = true
    /// The variable to which the word assigns a value; nil for other words.
    var name: String?
  }

  init(_ script: String) {
    var scanner = Scanner(script)
    while let (words, line) = scanner.nextCommand(variables) { run(words[...], line: line) }
  }

  /// The words that may precede a command.
  private static let reserved: Set<String> = [
    "{", "}", "!", "if", "then", "else", "elif", "while", "until", "do", "time", "export", "readonly",
    "local",
  ]

  private mutating func run(_ words: ArraySlice<Word>, line: Int) {
    var words = words
    while let first = words.first {
      if first.isPlain, let text = first.text, Self.reserved.contains(text) {
        words.removeFirst()
      } else if let name = first.name {
        let value = first.text?.unicodeScalars.dropFirst(name.unicodeScalars.count + 1)
        variables[Array(name.utf8)] = value.map { String(String.UnicodeScalarView($0)) }
        words.removeFirst()
      } else {
        break
      }
    }
    guard words.first?.text == "feed" else { return }
    let arguments = words.dropFirst().prefix(2).map(\.text)
    if arguments.count == 2, let name = arguments[0], let address = arguments[1] {
      feeds.append(Feed(name: name, address: address))
    } else {
      unreadLines.append(line)
    }
  }

  /// Divides a script into commands and words (POSIX.1-2017, Shell Command Language, 2.2, 2.3 and 2.6.2).
  private struct Scanner {
    private let scalars: [Unicode.Scalar]
    private var index = 0
    private var line = 1
    private var word: Word?
    /// A redirection (2.7) that needs the next word as its file or delimiter.
    private var redirection: Redirection?
    /// The here-documents that begin after this line.
    private var documents: [HereDocument] = []
    /// The delimiters that no later line has. Their number is limited, so that the script is not searched
    /// again for every line.
    private var unended: Set<String> = []
    private static let mostUnended = 16

    private enum Redirection {
      case file
      case document(isIndented: Bool)
    }

    /// A here-document (2.7.4), up to the line that is its delimiter.
    private struct HereDocument {
      let delimiter: String
      /// True to ignore tabs at line starts.
      let isIndented: Bool
    }

    init(_ script: String) {
      scalars = Array(script.unicodeScalars)
    }

    /// Returns the next command's words, and its first line's number; nil at the end.
    mutating func nextCommand(_ variables: [[UInt8]: String]) -> (words: [Word], line: Int)? {
      var words: [Word] = []
      var first = line
      while index < scalars.count {
        let scalar = scalars[index]
        switch scalar {
        case " ", "\t", "\r": end(&words)
        case "<", ">":
          end(&words)
          takeRedirection()
          continue
        case "\n", ";", "&", "|", "(", ")":
          end(&words)
          redirection = nil
          step()
          if scalar == "\n" { skipHereDocuments() }
          if words.isEmpty {
            first = line
            continue
          }
          return (words, first)
        case "#" where word == nil:
          while index < scalars.count, scalars[index] != "\n" { step() }
          continue
        case "\\": takeEscape()
        case "'": takeSingleQuotes()
        case "\"":
          takeDoubleQuotes(variables)
          continue
        case "$", "`":
          takeReplacement(variables)
          continue
        case "=":
          if let name = word?.text, word?.isPlain == true, Self.isName(name) { word?.name = name }
          add(scalar)
        default: add(scalar)
        }
        step()
      }
      end(&words)
      return words.isEmpty ? nil : (words, first)
    }

    private mutating func step() {
      if index < scalars.count, scalars[index] == "\n" { line += 1 }
      index += 1
    }

    private mutating func add(_ scalar: Unicode.Scalar) {
      if word == nil { word = Word(text: "") }
      word?.text?.unicodeScalars.append(scalar)
    }

    private mutating func end(_ words: inout [Word]) {
      guard let word else { return }
      switch redirection {
      case nil: words.append(word)
      case .file: break
      case .document(let isIndented):
        if let delimiter = word.text {
          documents.append(HereDocument(delimiter: delimiter, isIndented: isIndented))
        }
      }
      (self.word, redirection) = (nil, nil)
    }

    /// Takes a redirection operator.
    private mutating func takeRedirection() {
      let start = index
      while index < scalars.count, "<>&|".unicodeScalars.contains(scalars[index]) { step() }
      redirection = .file
      guard scalars[start..<index].elementsEqual("<<".unicodeScalars) else { return }
      let isIndented = index < scalars.count && scalars[index] == "-"
      if isIndented { step() }
      redirection = .document(isIndented: isIndented)
    }

    /// Skips the here-documents that begin here. A document without an end is not skipped.
    private mutating func skipHereDocuments() {
      for document in documents
      where unended.count < Self.mostUnended && !unended.contains(document.delimiter) {
        let start = (index, line)
        var isFound = false
        while !isFound, index < scalars.count {
          var text = scalars[index...].prefix { $0 != "\n" }
          for _ in 0...text.count { step() }
          if document.isIndented { text = text.drop { $0 == "\t" } }
          isFound = text.elementsEqual(document.delimiter.unicodeScalars)
        }
        if isFound { continue }
        (index, line) = start
        unended.insert(document.delimiter)
      }
      documents = []
    }

    /// Notes that a part of the word is quoted or replaced.
    private mutating func quote() {
      if word == nil { word = Word(text: "") }
      word?.isPlain = false
    }

    /// Takes an escaped character; an escaped line end is dropped.
    private mutating func takeEscape() {
      step()
      guard index < scalars.count, scalars[index] != "\n" else { return }
      quote()
      add(scalars[index])
    }

    private mutating func takeSingleQuotes() {
      quote()
      step()
      while index < scalars.count, scalars[index] != "'" {
        add(scalars[index])
        step()
      }
    }

    private mutating func takeDoubleQuotes(_ variables: [[UInt8]: String]) {
      quote()
      step()
      while index < scalars.count, scalars[index] != "\"" {
        switch scalars[index] {
        case "$", "`":
          takeReplacement(variables)
          continue
        case "\\"
        where index + 1 < scalars.count && ["$", "`", "\"", "\\", "\n"].contains(scalars[index + 1]):
          step()
          if scalars[index] != "\n" { add(scalars[index]) }
        case let scalar: add(scalar)
        }
        step()
      }
      step()
    }

    /// Takes a variable, or another replacement with an unknown result.
    private mutating func takeReplacement(_ variables: [[UInt8]: String]) {
      quote()
      let opening = scalars[index]
      step()
      guard opening == "$", index < scalars.count else {
        skip(to: "`", from: nil)
        word?.text = nil
        return
      }
      var name = ""
      if scalars[index] == "{" {
        step()
        while index < scalars.count, scalars[index] != "}" {
          name.unicodeScalars.append(scalars[index])
          step()
        }
        step()
      } else if scalars[index] == "(" {
        step()
        skip(to: ")", from: "(")
      } else {
        while index < scalars.count, Self.isInName(scalars[index], isFirst: name.isEmpty) {
          name.unicodeScalars.append(scalars[index])
          step()
        }
        // A dollar sign is literal unless a name or a parameter follows.
        let isParameter = index < scalars.count && "0123456789@*#?-$!".unicodeScalars.contains(scalars[index])
        if name.isEmpty, !isParameter { return add("$") }
        if name.isEmpty { step() }
      }
      if let value = variables[Array(name.utf8)] { word?.text?.append(value) } else { word?.text = nil }
    }

    /// Skips past a closing character; nested pairs are skipped with their contents.
    private mutating func skip(to closing: Unicode.Scalar, from opening: Unicode.Scalar?) {
      var depth = 1
      while index < scalars.count {
        let scalar = scalars[index]
        step()
        if scalar == closing { depth -= 1 } else if scalar == opening { depth += 1 }
        if depth == 0 { return }
      }
    }

    private static func isName(_ text: String) -> Bool {
      !text.isEmpty && text.unicodeScalars.enumerated().allSatisfy { isInName($1, isFirst: $0 == 0) }
    }

    private static func isInName(_ scalar: Unicode.Scalar, isFirst: Bool) -> Bool {
      switch scalar {
      case "a"..."z", "A"..."Z", "_": true
      case "0"..."9": !isFirst
      default: false
      }
    }
  }
}
