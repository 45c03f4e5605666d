/// Writes the events of a document as safe HTML.
struct SafeHTMLWriter {
  private var result = ""
  /// The written element for each open element of the document; nil if nothing was written.
  private var open: [String?] = []
  /// The number of open elements that were written.
  private var written = 0
  /// The nesting depth inside a dropped element; 0 outside of dropped elements.
  private var dropped = 0
  /// True if a link is open: links cannot be nested.
  private var isInLink = false

  /// The deepest nesting that is written. Browsers flatten elements below a depth of 512.
  private static let deepest = 200

  mutating func take(_ event: HTMLEvent) {
    switch event {
    case .start(let name, let attributes): start(name, attributes)
    case .end(let name): end(name)
    case .text(let text):
      if dropped == 0 { result += SafeHTML.escaped(text) }
    }
  }

  mutating func finish() -> String {
    for name in open.reversed() { if let name { result += "</\(name)>" } }
    return result
  }

  // MARK: Elements

  private mutating func start(_ name: String, _ attributes: [String: String]) {
    if dropped > 0 || Self.droppedElements.contains(name) || attributes["hidden"] != nil {
      if dropped == 0, Self.media.contains(name) { addReference(name, attributes) }
      dropped += 1
      return
    }
    if Self.voidElements.contains(name) {
      result += "<\(name)>"
      open.append(nil)
    } else if name == "img" {
      addReference(name, attributes)
      open.append(nil)
    } else if let safe = Self.elements[name], written < Self.deepest, name != "a" || !isInLink {
      result += "<\(safe)\(Self.safe(attributes, of: name))>"
      open.append(safe)
      written += 1
      if name == "a" { isInLink = true }
    } else {
      open.append(nil)
    }
  }

  private mutating func end(_ name: String) {
    if dropped > 0 {
      dropped -= 1
      return
    }
    guard let safe = open.popLast() ?? nil else { return }
    result += "</\(safe)>"
    written -= 1
    if safe == "a" { isInLink = false }
  }

  /// Adds a picture, video, audio file or frame as a link to it.
  private mutating func addReference(_ name: String, _ attributes: [String: String]) {
    if attributes.isTrackingPixel { return }
    let kind = Self.kinds[name] ?? name
    let words = attributes.description { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    let label = SafeHTML.escaped(words.map { "\(kind): \($0)" } ?? kind)
    let source = attributes["src"] ?? attributes["data"] ?? ""
    if !isInLink, SafeHTML.isSafe(source) {
      result +=
        "<a class=\"media\" href=\"\(SafeHTML.escaped(source))\" rel=\"\(Self.relation)\">\(label)</a>"
    } else if isInLink || words != nil {
      result += "<span class=\"media\">\(label)</span>"
    }
  }

  // MARK: Attributes

  private static func safe(_ attributes: [String: String], of name: String) -> String {
    var result = ""
    func add(_ attribute: String, _ value: String) {
      result += " \(attribute)=\"\(SafeHTML.escaped(value))\""
    }
    if name == "a", let address = attributes["href"], SafeHTML.isSafe(address) {
      add("href", address)
      add("rel", relation)
    }
    if let language = attributes["lang"], SafeHTML.isLanguage(language) { add("lang", language) }
    if let direction = attributes["dir"]?.lowercased(), ["ltr", "rtl", "auto"].contains(direction) {
      add("dir", direction)
    }
    for attribute in numbers[name] ?? [] {
      if let text = attributes[attribute], let number = Int(text), (0...1000).contains(number) {
        add(attribute, "\(number)")
      }
    }
    if let scope = attributes["scope"]?.lowercased(), name == "th", ["row", "col"].contains(scope) {
      add("scope", scope)
    }
    if let title = attributes["title"], name == "abbr" || name == "dfn" { add("title", title) }
    return result
  }

  private static let relation = "noopener noreferrer nofollow"

  /// The written element for each allowed element of the document. Headings are moved below the headings of the page.
  private static let elements: [String: String] = {
    let allowed = """
      a abbr b bdi bdo blockquote caption cite code col colgroup dd del dfn div dl dt em figcaption figure i ins kbd li
      mark ol p pre q rp rt ruby s samp small span strong sub sup table tbody td tfoot th thead time tr u ul var
      h1=h4 h2=h4 h3=h5 h4=h6 h5=h6 h6=h6 strike=s tt=code acronym=abbr center=div big=b menu=ul dir=ul listing=pre
      xmp=pre section=div article=div aside=div header=div footer=div main=div address=div details=div summary=p
      """
    var elements: [String: String] = [:]
    for entry in allowed.split(whereSeparator: \.isWhitespace) {
      let names = entry.split(separator: "=")
      elements[String(names[0])] = String(names[names.count - 1])
    }
    return elements
  }()

  private static let voidElements = Set(names: "br hr wbr")

  /// Elements that are dropped with their content.
  private static let droppedElements = media.union(
    Set(
      names: """
        script style template svg math head title textarea select option button input canvas noembed noframes frameset
        base link meta map dialog
        """))

  private static let media = Set(names: "iframe video audio embed object applet frame")
  private static let kinds = [
    "img": "image", "iframe": "embedded page", "frame": "embedded page", "object": "file",
    "embed": "file", "applet": "file",
  ]
  private static let numbers = [
    "td": ["colspan", "rowspan"], "th": ["colspan", "rowspan"], "ol": ["start"], "li": ["value"],
    "col": ["span"], "colgroup": ["span"],
  ]
}
