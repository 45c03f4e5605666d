internal import CLibXML2

/// The functions that libxml2 calls.
extension StrictParser {
  /// Set once in the process, before the first parser: no external entity is ever loaded.
  static let libraryIsReady: Bool = {
    xmlInitParser()
    unsafe xmlSetExternalEntityLoader { _, _, _ in nil }
    return true
  }()

  /// Calls `body` with the parser that libxml2 passes as user data. The parser lives as long as its libxml2
  /// context.
  @inline(__always)
  private static func with(_ data: UnsafeMutableRawPointer?, _ body: (StrictParser) -> Void) {
    guard let data = unsafe data else { return }
    unsafe Unmanaged<StrictParser>.fromOpaque(data)._withUnsafeGuaranteedRef { body($0) }
  }

  static var callbacks: xmlSAXHandler {
    var table = unsafe xmlSAXHandler()
    unsafe table.initialized = UInt32(XML_SAX2_MAGIC)
    unsafe table.startElementNs = {
      data, local, prefix, namespace, namespaceCount, namespaces, count, _, cells in
      guard let local = unsafe local else { return }
      let name = unsafe XMLName(local: local, prefix: prefix, namespace: namespace)
      unsafe StrictParser.with(data) {
        unsafe $0.start(
          name, namespaces: namespaces, namespaceCount: Int(namespaceCount), attributes: cells,
          attributeCount: Int(count))
      }
    }
    unsafe table.endElementNs = { data, _, _, _ in unsafe StrictParser.with(data) { $0.end() } }
    let characters: charactersSAXFunc = { data, bytes, count in
      unsafe StrictParser.with(data) { unsafe $0.text(UnsafeBufferPointer(start: bytes, count: Int(count))) }
    }
    unsafe table.characters = unsafe characters
    // The same function, so that libxml2 does not determine which white space may be ignored.
    unsafe table.ignorableWhitespace = unsafe characters
    unsafe table.cdataBlock = unsafe characters
    unsafe table.getEntity = { data, name in
      guard let data = unsafe data, let name = unsafe name else { return nil }
      return unsafe Unmanaged<StrictParser>.fromOpaque(data)._withUnsafeGuaranteedRef {
        unsafe $0.entity(name)
      }
    }
    unsafe table.entityDecl = { data, name, kind, _, _, content in
      guard let name = unsafe name else { return }
      unsafe StrictParser.with(data) {
        unsafe $0.declare(name, kind: kind, content: content.map { unsafe UnsafePointer($0) })
      }
    }
    // Errors are read from the context. Without this function libxml2 would print them.
    unsafe table.serror = { _, _ in }
    return unsafe table
  }
}

/// The libxml2 library.
public enum XMLLibrary {
  /// The library's version at run time, such as "2.9.14". It may differ from the version at build time.
  public static var version: String {
    guard let name = unsafe cxml_version() else { return "unknown" }
    // 20914 is version 2.9.14; the text after the digits names the build's origin.
    let text = unsafe String(cString: name)
    guard let number = Int(text.prefix(while: \.isNumber)) else { return text }
    return "\(number / 10000).\(number / 100 % 100).\(number % 100)"
  }
}
