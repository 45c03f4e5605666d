internal import CLibXML2

/// An element or text of a document, in document order.
enum HTMLEvent {
  /// The start of an element. The attributes are only those that affect the text, by their names in lower case.
  case start(String, attributes: [String: String])
  case end(String)
  case text(String)
}

/// The facts that the attributes of a picture state.
extension [String: String] {
  /// True if the picture is at most one pixel wide or high: it counts readers and shows nothing.
  var isTrackingPixel: Bool { [self["width"], self["height"]].contains { ["0", "1"].contains($0) } }

  /// Returns the first text that describes the picture and is not empty after `clean`.
  func description(_ clean: (String) -> String) -> String? {
    [self["alt"], self["title"]].compactMap { $0.map(clean) }.first { !$0.isEmpty }
  }
}

/// Reads HTML with libxml2's parser, which repairs malformed documents (HTMLparser.h).
enum HTMLTree {
  private static let wanted = Set(
    names: "href src alt title start width height hidden lang dir colspan rowspan scope value span data")

  /// Calls `body` for each element and text of a document; nothing is loaded from other addresses.
  static func visit(_ html: String, _ body: (HTMLEvent) -> Void) {
    // The parser supports 256 levels of nesting and drops everything after the first deeper element. A limit of our own
    // would drop it too, so the document is flattened instead.
    if !read(html, isFlat: false, body) { _ = read(FlatHTML.text(of: html), isFlat: true, body) }
  }

  /// - Parameter isFlat: True if the document is already flattened, so that an incomplete tree is visited too.
  /// - Returns: False if the parser stopped early and nothing was visited.
  private static func read(_ html: String, isFlat: Bool, _ body: (HTMLEvent) -> Void) -> Bool {
    var html = html
    return html.withUTF8 { bytes in
      let options =
        HTML_PARSE_RECOVER.rawValue | HTML_PARSE_NOERROR.rawValue | HTML_PARSE_NOWARNING.rawValue
        | HTML_PARSE_NONET.rawValue | HTML_PARSE_COMPACT.rawValue
      guard let start = bytes.baseAddress, bytes.count <= Int(Int32.max),
        let parser = unsafe htmlNewParserCtxt()
      else { return true }
      defer { unsafe htmlFreeParserCtxt(parser) }
      let document = unsafe htmlCtxtReadMemory(
        parser, UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self), Int32(bytes.count), nil, "UTF-8",
        Int32(options))
      guard let document = unsafe document else { return true }
      defer { unsafe xmlFreeDoc(document) }
      // Too deep nesting is the only error that stops this parser (xmlHaltParser in parser.c); it repairs all others.
      guard unsafe isFlat || parser.pointee.disableSAX == 0 else { return false }
      unsafe visit(xmlDocGetRootElement(document), body)
      return true
    }
  }

  /// Visits the tree without recursion, because the author of a document controls its depth.
  private static func visit(_ root: xmlNodePtr?, _ body: (HTMLEvent) -> Void) {
    var node = unsafe root
    while let current = unsafe node {
      if let first = unsafe enter(current, body) {
        unsafe node = first
        continue
      }
      var done: xmlNodePtr? = unsafe current
      while let ended = unsafe done {
        unsafe leave(ended, body)
        if unsafe ended == root { return }
        if let next = unsafe ended.pointee.next {
          unsafe node = next
          break
        }
        unsafe done = ended.pointee.parent
        if unsafe done == nil { return }
      }
    }
  }

  /// Reports the start of a node, and returns its first child; nil if it has no children.
  private static func enter(_ node: xmlNodePtr, _ body: (HTMLEvent) -> Void) -> xmlNodePtr? {
    switch unsafe node.pointee.type {
    case XML_ELEMENT_NODE:
      body(.start(unsafe text(node.pointee.name), attributes: unsafe attributes(of: node)))
      return unsafe node.pointee.children
    case XML_TEXT_NODE, XML_CDATA_SECTION_NODE:
      body(.text(unsafe text(node.pointee.content)))
      return nil
    default: return nil
    }
  }

  private static func leave(_ node: xmlNodePtr, _ body: (HTMLEvent) -> Void) {
    if unsafe node.pointee.type == XML_ELEMENT_NODE { body(.end(unsafe text(node.pointee.name))) }
  }

  private static func attributes(of node: xmlNodePtr) -> [String: String] {
    var found: [String: String] = [:]
    var next = unsafe node.pointee.properties
    while let attribute = unsafe next {
      let name = unsafe text(attribute.pointee.name)
      if wanted.contains(name) {
        found[name] = unsafe attribute.pointee.children.map { unsafe text($0.pointee.content) } ?? ""
      }
      unsafe next = attribute.pointee.next
    }
    return found
  }

  private static func text(_ bytes: UnsafePointer<xmlChar>?) -> String {
    unsafe bytes.map { unsafe String(cString: $0) } ?? ""
  }
}
