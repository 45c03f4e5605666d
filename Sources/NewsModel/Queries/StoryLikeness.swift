import HTMLText

/// The words that decide whether an article is the same story as another article with the same page.
///
/// Copies of a story differ a little: a title has its site's name before or after it, other quotes or
/// capitals, or it was edited; a feed has only the beginning of the text. But different articles may also
/// link to one page, such as release notes for several programs. Their titles and texts differ.
struct StoryLikeness {
  private let title: StoryWords
  /// The article's texts. Each feed may have the summary, the content or both.
  private let texts: [StoryWords]

  /// - Parameters:
  ///   - title: Plain text.
  ///   - texts: HTML or plain texts; empty if they were not read.
  init(title: String?, texts: [String] = []) {
    self.title = StoryWords(title: title ?? "")
    self.texts = texts.map(StoryWords.init(html:)).filter { !$0.words.isEmpty }
  }

  /// Returns whether two titles may belong to one story.
  func hasTitle(of other: StoryLikeness) -> Bool {
    guard !title.words.isEmpty, !other.title.words.isEmpty else { return false }
    return title.words.count <= other.title.words.count
      ? title.isTitle(in: other.title) : other.title.isTitle(in: title)
  }

  /// Returns whether two texts may belong to one story, whatever their titles are.
  func hasText(of other: StoryLikeness) -> Bool {
    if texts.isEmpty, other.texts.isEmpty { return title.words.isEmpty && other.title.words.isEmpty }
    for text in texts {
      // A short message has no title in one feed, and its words as the title in another.
      if other.title.isContained(in: text), title.words.isEmpty { return true }
      if other.texts.contains(where: text.isText) { return true }
    }
    return title.isContained(inOneOf: other.texts) && other.title.words.isEmpty
  }

  /// A value that similar titles mostly share, and equal ones always.
  var titleWords: [String] { title.words }
}

/// A text's words without case, punctuation and markup.
struct StoryWords {
  private(set) var words: [String] = []
  /// The places in ``words`` before separators between a title's parts, such as the site's name.
  private var separators: Set<Int> = [0]
  /// True if the text was cut by its publisher: it ends with an ellipsis.
  private var isCut = false

  /// The most bytes in a text that are compared.
  private static let mostBytes = 8 << 10

  init(title: String) {
    read(title.unicodeScalars.prefix(1024))
  }

  init(html: String) {
    read(HTMLWords.text(of: String(html.unicodeScalars.prefix(Self.mostBytes))).unicodeScalars)
  }

  // MARK: Titles

  /// Returns whether this title, which is not the longer one, is another title without a site name or a note.
  func isTitle(in longer: StoryWords) -> Bool {
    if words == longer.words { return true }
    if isCut, words.count > Self.leastOfTitle {
      // The last word may be cut.
      return longer.words.starts(with: words.dropLast())
    }
    if longer.isCut, longer.words.count > Self.leastOfTitle, words.starts(with: longer.words.dropLast()) {
      return true
    }
    for place in longer.places(of: words) {
      let end = place + words.count
      if longer.separators.contains(place), longer.separators.contains(end) { return true }
      if words.count >= Self.leastOfTitle, words.count * 4 >= longer.words.count * 3 { return true }
    }
    return false
  }

  /// Returns whether a text contains this title.
  func isContained(in text: StoryWords) -> Bool {
    words.count >= Self.leastOfTitle && !text.places(of: words).isEmpty
  }

  func isContained(inOneOf texts: [StoryWords]) -> Bool { texts.contains { isContained(in: $0) } }

  /// The word count from which a common part in titles is not a coincidence.
  private static let leastOfTitle = 3

  private func places(of part: [String]) -> [Int] {
    guard !part.isEmpty, part.count <= words.count else { return [] }
    return (0...(words.count - part.count)).filter { words[$0..<($0 + part.count)].elementsEqual(part) }
  }

  // MARK: Texts

  /// Returns whether two texts are the same, one is the beginning of the other, or they differ in few words.
  func isText(_ other: StoryWords) -> Bool {
    let (short, long) = words.count <= other.words.count ? (words, other.words) : (other.words, words)
    if short == long { return short.count >= Self.leastOfEqualText }
    guard short.count >= Self.leastOfText else { return false }
    // After an excerpt, a feed may have a few words of its own.
    let same = zip(short, long).prefix { $0 == $1 }.count
    if same * 5 >= short.count * 4, same >= Self.leastOfText { return true }
    guard short.count >= Self.leastOfEditedText else { return false }
    let (groups, others) = (Self.groups(short), Self.groups(long))
    return groups.count { others.contains($0) } * 5 >= groups.count * 4
  }

  private static let leastOfEqualText = 3
  private static let leastOfText = 8
  private static let leastOfEditedText = 15

  /// Returns each three words in a row.
  private static func groups(_ words: [String]) -> Set<[String]> {
    Set((0..<max(0, words.count - 2)).map { Array(words[$0..<($0 + 3)]) })
  }

  // MARK: Words

  /// Adds a text's words. In scripts without spaces, each character is a word.
  private mutating func read(_ text: some Sequence<Unicode.Scalar>) {
    var word = ""
    var mark: Unicode.Scalar?
    func isDigit(_ scalar: Unicode.Scalar?) -> Bool { scalar.map { ("0"..."9").contains($0) } ?? false }
    var last: Unicode.Scalar?
    var hasSpace = true
    func end(_ words: inout [String]) {
      if !word.isEmpty { words.append(word) }
      word = ""
    }
    for scalar in text {
      let properties = scalar.properties
      if properties.isDefaultIgnorableCodePoint || Self.apostrophes.contains(scalar) { continue }
      defer { last = scalar }
      if properties.isAlphabetic || properties.numericType != nil
        || properties.canonicalCombiningClass != .notReordered
      {
        if let point = mark {
          mark = nil
          if isDigit(scalar), isDigit(word.unicodeScalars.last) {
            word.unicodeScalars.append(point)
          } else {
            end(&words)
          }
        }
        if Self.isWholeWord(scalar) {
          end(&words)
          words.append(String(scalar))
        } else {
          word += properties.lowercaseMapping
        }
        (hasSpace, isCut) = (false, false)
        continue
      }
      // A point belongs to a version number, but not to the last word of a sentence.
      if (scalar == "." || scalar == ","), isDigit(last), !word.isEmpty {
        mark = scalar
        continue
      }
      mark = nil
      end(&words)
      if scalar == "…" || (scalar == "." && last == ".") { isCut = true }
      if properties.isWhitespace {
        hasSpace = true
        continue
      }
      // A hyphen in a word separates no parts; one after a space does.
      if hasSpace || Self.separating.contains(scalar) { separators.insert(words.count) }
    }
    end(&words)
    separators.insert(words.count)
  }

  private static let separating: Set<Unicode.Scalar> = [":", "|", "»", "«", "—", "·", "•", "]", ")"]
  private static let apostrophes: Set<Unicode.Scalar> = ["'", "’", "‘", "ʼ", "`", "´", "＇"]

  /// Returns whether a character is a word in a script without spaces: Han, Kana, Thai and its neighbours.
  private static func isWholeWord(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x2E80...0x31FF, 0x3400...0x9FFF, 0xF900...0xFAFF,
      0x20000...0x3FFFF:
      true
    default: false
    }
  }
}
