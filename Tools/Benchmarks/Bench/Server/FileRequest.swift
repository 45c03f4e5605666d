/// The parts of a request that the file server uses.
struct FileRequest {
  /// The path of the file; nil unless the request is a GET for a file in the folder.
  let path: String?
  /// The value of If-None-Match.
  let knownTag: String?

  /// Parses the head of a request.
  init(head: ArraySlice<UInt8>) {
    let lines = head.split(separator: UInt8(ascii: "\n"))
    let words = (lines.first ?? []).split(separator: UInt8(ascii: " "))
    var path: String?
    if words.count > 1, words[0].elementsEqual("GET".utf8) {
      let target = String(decoding: words[1], as: UTF8.self)
      if target.hasPrefix("/"), !target.contains("..") { path = target }
    }
    self.path = path
    knownTag = lines.dropFirst().lazy.compactMap(Self.tag).first
  }

  private static func tag(_ line: ArraySlice<UInt8>) -> String? {
    let name = "if-none-match:"
    guard line.count > name.utf8.count,
      zip(line, name.utf8).allSatisfy({ $0 | 0x20 == $1 | 0x20 })
    else { return nil }
    let value = line.dropFirst(name.utf8.count)
    return String(decoding: value.filter { $0 > 0x20 }, as: UTF8.self)
  }
}
