internal import Markup
internal import TextOutput

/// The links inside a document, such as links to footnotes, and their targets.
struct InnerLinks {
  /// The names that links inside the document refer to.
  private var targets: Set<[UInt8]> = []
  /// The targets that were written. If several elements share a name, the first one is the target.
  private var writtenTargets: Set<[UInt8]> = []
  private let prefix: [UInt8]
  private let page: [UInt8]

  /// - Parameters:
  ///   - prefix: The beginning for each `id` that is written.
  ///   - page: The document's address, if it has one.
  init(in tree: HTMLTree, prefix: String, page: String?) {
    self.prefix = Array(prefix.utf8)
    self.page = page.map { Array($0.utf8.prefix { $0 != UInt8(ascii: "#") }) } ?? []
    var linked: Set<[UInt8]> = []
    for attribute in tree.attributes where attribute.name == .href {
      if let name = name(in: tree.text[attribute.value.range]) { linked.insert(name) }
    }
    guard !linked.isEmpty else { return }
    for node in tree.nodes {
      guard let tag = node.tag else { continue }
      for attribute in tree.attributes[node.content.range]
      where attribute.name == .id || attribute.name == .name && tag == .a {
        let name = Array(tree.text[attribute.value.range])
        if linked.contains(name) { targets.insert(name) }
      }
    }
  }

  /// Returns the written name for the target of an address; nil if the document has no such target.
  func target(of address: ArraySlice<UInt8>) -> [UInt8]? {
    name(in: address).flatMap { targets.contains($0) ? written($0) : nil }
  }

  /// Returns the address on the document's page, if the document lacks the target; nil for other addresses.
  func addressOnPage(of address: ArraySlice<UInt8>) -> [UInt8]? {
    guard !page.isEmpty, address.first == UInt8(ascii: "#"), name(in: address) != nil else { return nil }
    return page + address
  }

  /// Records that a target is being written, and returns its written name. Nil if no link leads to it, or if
  /// an earlier target had the same name.
  mutating func take(_ name: ArraySlice<UInt8>) -> [UInt8]? {
    guard !targets.isEmpty else { return nil }
    let name = Array(name)
    return targets.contains(name) && writtenTargets.insert(name).inserted ? written(name) : nil
  }

  /// Returns the links without unwritten targets, to write the document again; nil if all were written.
  func withoutMissing() -> InnerLinks? {
    guard writtenTargets.count < targets.count else { return nil }
    var links = self
    (links.targets, links.writtenTargets) = (writtenTargets, [])
    return links
  }

  /// Returns the decoded fragment in an address inside this document; nil for another address.
  private func name(in address: ArraySlice<UInt8>) -> [UInt8]? {
    let mark = UInt8(ascii: "#")
    guard address.first == mark || !page.isEmpty && address.starts(with: page) else { return nil }
    let fragment = address.first == mark ? address : address.dropFirst(page.count)
    return fragment.first == mark && fragment.count > 1 ? fragment.dropFirst().percentDecoded : nil
  }

  /// Returns a name with the prefix. It has only characters that need no escape in an address or in HTML.
  private func written(_ name: [UInt8]) -> [UInt8] {
    var written = prefix
    for byte in name {
      if byte.isASCIIAlphanumeric || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        || byte == UInt8(ascii: ".")
      {
        written.append(byte)
      } else {
        written += "~\(String(byte, radix: 16))~".utf8
      }
    }
    return written
  }
}
