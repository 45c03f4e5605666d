import Foundation
import Testing

@testable import HTMLText

/// Compares trees with those of html5lib's tests, which browsers use, too.
///
/// The tests are not part of this project: NEWSIMPORT_HTML5LIB names the folder of their `.dat` files. Comments, types of
/// documents and attributes are not compared: the tree has none or only a few. Cases for a part of a document, for
/// documents with scripts and for the element `isindex`, which is no longer in the standard, are left out.
@Suite struct TreeConstructionTests {
  private static let folder = ProcessInfo.processInfo.environment["NEWSIMPORT_HTML5LIB"]

  @Test(.enabled(if: TreeConstructionTests.folder != nil))
  func `trees are those of browsers`() throws {
    let cases = try Self.cases()
    #expect(cases.count > 1000)
    var (sameText, sameTree) = (0, 0)
    for one in cases {
      let tree = HTMLTree(one.data)
      let nodes = Self.nodes(of: tree)
      let hasSameText = Self.text(of: nodes) == Self.text(of: one.nodes)
      if hasSameText { sameText += 1 }
      if nodes == one.nodes { sameTree += 1 } else if Self.isVerbose { print(one.report(nodes, hasSameText)) }
    }
    print("html5lib: \(cases.count) cases, text \(sameText), structure \(sameTree)")
    #expect(Double(sameText) >= 0.99 * Double(cases.count), "\(sameText) texts of \(cases.count)")
    #expect(Double(sameTree) >= 0.97 * Double(cases.count), "\(sameTree) trees of \(cases.count)")
  }

  // MARK: Trees

  private enum Node: Equatable {
    case element(depth: Int, NameHash)
    case text(depth: Int, String)
  }

  private static func text(of nodes: [Node]) -> String {
    nodes.map { if case .text(_, let text) = $0 { text } else { "" } }.joined()
  }

  private static func append(_ text: String, depth: Int, to nodes: inout [Node]) {
    if case .text(depth, let before) = nodes.last {
      nodes[nodes.count - 1] = .text(depth: depth, before + text)
    } else {
      nodes.append(.text(depth: depth, text))
    }
  }

  private static func nodes(of tree: HTMLTree) -> [Node] {
    struct Collector: HTMLVisitor {
      var nodes: [Node] = []
      var depth = 0

      mutating func enter(_ element: HTMLTree.Index, _ tag: HTMLTag, of tree: HTMLTree) -> Bool {
        nodes.append(.element(depth: depth, tree.nodes[Int(element)].name))
        depth += 1
        return true
      }
      mutating func leave(_ element: HTMLTree.Index, _ tag: HTMLTag, of tree: HTMLTree) { depth -= 1 }
      mutating func take(_ text: HTMLTree.Slice, of tree: HTMLTree) {
        TreeConstructionTests.append(
          String(decoding: tree.text[text.range], as: UTF8.self), depth: depth, to: &nodes)
      }
    }
    var collector = Collector()
    tree.visit(&collector)
    return collector.nodes
  }

  // MARK: Cases

  private struct Case {
    let file: String
    let data: String
    let expected: String
    let nodes: [Node]

    func report(_ found: [Node], _ hasSameText: Bool) -> String {
      let lines = found.map { node in
        switch node {
        case .element(let depth, let name):
          "| " + String(repeating: "  ", count: depth) + "<\(HTMLTag.byName[name].map { $0.name } ?? "…")>"
        case .text(let depth, let text): "| " + String(repeating: "  ", count: depth) + "\"\(text)\""
        }
      }
      return
        "--- \(file)\(hasSameText ? "" : " TEXT")\n\(data)\n\(expected)\nfound:\n\(lines.joined(separator: "\n"))"
    }
  }

  private static let isVerbose = ProcessInfo.processInfo.environment["NEWSIMPORT_HTML5LIB_VERBOSE"] != nil

  private static func cases() throws -> [Case] {
    let folder = URL(fileURLWithPath: folder ?? "")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
      $0.hasSuffix(".dat")
    }
    return try names.sorted().flatMap { name in
      let text = String(decoding: try Data(contentsOf: folder.appendingPathComponent(name)), as: UTF8.self)
      return cases(in: Array(text.unicodeScalars), file: name)
    }
  }

  private static func cases(in text: [Unicode.Scalar], file: String) -> [Case] {
    // Not by characters: a carriage return and a line feed are one.
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      String(String.UnicodeScalarView(line))
    }
    var sections: [[String: [String]]] = []
    var section = ""
    for line in lines {
      if line == "#data" {
        sections.append([:])
        section = line
        sections[sections.count - 1][section] = []
      } else if line.hasPrefix("#"), Self.sections.contains(line) {
        section = line
        sections[sections.count - 1][section] = []
      } else if !sections.isEmpty {
        sections[sections.count - 1][section]?.append(line)
      }
    }
    return sections.compactMap { parts in
      guard let data = parts["#data"], let document = parts["#document"], parts["#document-fragment"] == nil,
        parts["#script-on"] == nil
      else { return nil }
      let text = data.joined(separator: "\n")
      guard !text.contains("<isindex") else { return nil }
      return Case(
        file: file, data: text, expected: document.joined(separator: "\n"), nodes: nodes(in: document))
    }
  }

  private static let sections = [
    "#data", "#errors", "#new-errors", "#document", "#document-fragment", "#script-on", "#script-off",
  ]

  private static func nodes(in lines: [String]) -> [Node] {
    var entries: [String] = []
    for line in lines {
      if line.hasPrefix("| ") {
        entries.append(line)
      } else if !entries.isEmpty {
        entries[entries.count - 1] += "\n" + line
      }
    }
    var nodes: [Node] = []
    // The levels of the contents of templates.
    var contents: [Int] = []
    for entry in entries {
      let line = entry.dropFirst(2)
      let spaces = line.prefix { $0 == " " }.count
      let level = spaces / 2
      while let last = contents.last, level <= last { contents.removeLast() }
      let depth = level - contents.count
      var rest = line.dropFirst(spaces)
      while rest.last == "\n" { rest.removeLast() }
      if rest == "content" {
        contents.append(level)
      } else if rest.hasPrefix("\"") {
        append(String(rest.dropFirst().dropLast()), depth: depth, to: &nodes)
      } else if rest.hasPrefix("<!") {
        continue
      } else if rest.hasPrefix("<"), rest.hasSuffix(">"),
        let name = rest.dropFirst().dropLast().split(separator: " ").last
      {
        nodes.append(.element(depth: depth, NameHash(String(name))))
      }
    }
    return nodes
  }
}
