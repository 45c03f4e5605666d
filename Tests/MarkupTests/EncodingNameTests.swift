import Foundation
import Glibc
import TestSupport
import Testing

@testable import Markup

struct EncodingNameTests {
  /// The refused encodings: their text hides markup, or they are internal forms of the C library.
  private func isRefused(_ name: String) -> Bool {
    let plain = name.lowercased().filter { $0 != "-" && $0 != "_" }
    return plain.contains("utf7") || plain.hasPrefix("hz") || ["char", "wchart", "internal"].contains(plain)
  }

  /// Returns whether the C library reads a declaration in the encoding as ASCII.
  private func readsDeclaration(_ name: String) -> Bool {
    let converter = unsafe iconv_open("UTF-8", name)
    guard let converter = unsafe converter, Int(bitPattern: converter) != -1 else { return false }
    defer { _ = unsafe iconv_close(converter) }
    let text = Array(#"<?xml version="1.0" encoding="a"?>"#.utf8).map(CChar.init)
    var source = text
    var result = [CChar](repeating: 0, count: 200)
    let (size, room) = (text.count, result.count)
    let written = unsafe source.withUnsafeMutableBufferPointer { source in
      unsafe result.withUnsafeMutableBufferPointer { result in
        var start = source.baseAddress
        var target = result.baseAddress
        var (left, free) = (size, room)
        _ = unsafe iconv(converter, &start, &left, &target, &free)
        _ = unsafe iconv(converter, nil, nil, &target, &free)
        return room - free
      }
    }
    return Array(result[..<written]) == text
  }

  @Test func `every name of the C library that may stand in a declaration is read`() async throws {
    let list = try await Command.run("/usr/bin/iconv", ["-l"]).out
    let names = list.split(whereSeparator: \.isWhitespace).map { name in
      String(name.prefix { $0 != "/" && $0 != "," })
    }
    #expect(names.count > 100)
    let missing = names.filter { name in
      guard !isRefused(name), readsDeclaration(name) else { return false }
      return EncodingName.supported(name).map(EncodingName.readsASCII) != true
    }
    #expect(missing == [])
  }
}
