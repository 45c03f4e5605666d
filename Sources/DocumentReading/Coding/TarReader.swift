/// Reads the files of a tar archive, one after the other, in the formats ustar, pax and GNU.
///
/// Names are only names: no file is ever written, and no link is followed.
final class TarReader {
  /// A file of the archive.
  struct Member {
    let name: [UInt8]
    /// The content; the cause why it is not read.
    let bytes: Result<any ByteSource, InputFailure>
  }

  private let source: PeekedBytes
  private var open: TarMemberBytes?
  private var commonValues: TarValues = TarValues()
  private var hasEnded = false
  /// True if the source ended after a file, without the blocks of zeros that mark the end. Some programs leave them out.
  private(set) var lacksEnd = false

  private static let mostValueBytes = 1 << 20

  init(_ source: PeekedBytes) {
    self.source = source
  }

  /// Returns whether bytes are the beginning of a tar archive.
  static func isArchive(_ block: ArraySlice<UInt8>) -> Bool { TarHeader(block) != nil }

  /// The number of bytes that ``isArchive(_:)`` examines.
  static let headBytes = TarHeader.blockBytes

  /// Returns the next file; nil at the end. The rest of the one before is skipped.
  ///
  /// - Throws: ``InputFailure`` if the archive is cut or damaged. Nothing follows then.
  func next() throws(InputFailure) -> Member? {
    guard !hasEnded else { return nil }
    do throws(InputFailure) {
      let member = try read()
      if member == nil { hasEnded = true }
      return member
    } catch {
      hasEnded = true
      throw error
    }
  }

  private func read() throws(InputFailure) -> Member? {
    if let open {
      // The failure of a member was reported with its document.
      if open.hasFailed { return nil }
      try open.skip()
    }
    open = nil
    var values = commonValues
    while true {
      let block = try source.read(TarHeader.blockBytes)
      lacksEnd = block.isEmpty
      if block.allSatisfy({ $0 == 0 }) { return nil }
      guard block.count == TarHeader.blockBytes else { throw .cutArchive }
      guard let header = TarHeader(block[...]) else {
        throw InputFailure(.refused, "the archive is damaged: after this, nothing more of it is read")
      }
      let content = TarMemberBytes(
        source, size: header.kind == .file ? values.size ?? header.size : header.size)
      switch header.kind {
      case .values: values.add(try all(content))
      case .commonValues:
        commonValues.add(try all(content))
        values = commonValues
      case .longName: values.name = Array(try all(content).prefix { $0 != 0 })
      // A name that ends with a slash is a folder in the oldest format. A long name is cut in the header, perhaps there.
      case .file where values.isSparse:
        try content.skip()
        return sparse(values.name ?? header.name)
      case .file
      where !Self.isFolder(values.name ?? header.name) && !Self.isHidden(values.name ?? header.name):
        open = content
        return Member(name: values.name ?? header.name, bytes: .success(content))
      case .sparse:
        try skipMap(after: header)
        try content.skip()
        return sparse(values.name ?? header.name)
      case .file, .other:
        try content.skip()
        values = commonValues
      }
    }
  }

  /// Skips the blocks between the header of a sparse file and its content.
  private func skipMap(after header: TarHeader) throws(InputFailure) {
    var isContinued = header.isContinued
    while isContinued {
      let block = try source.read(TarHeader.blockBytes)
      guard block.count == TarHeader.blockBytes else { throw .cutArchive }
      isContinued = block[504] != 0
    }
  }

  private func sparse(_ name: [UInt8]) -> Member {
    Member(
      name: name, bytes: .failure(InputFailure(.refused, "a sparse file of the archive, which is not read")))
  }

  private func all(_ content: TarMemberBytes) throws(InputFailure) -> [UInt8] {
    guard content.left <= Self.mostValueBytes else {
      throw InputFailure(.refused, "the archive is damaged: the name of a file is too long")
    }
    var bytes: [UInt8] = []
    while true {
      let piece = try content.next()
      if piece.isEmpty { break }
      bytes += piece
    }
    try content.skip()
    return bytes
  }

  private static func isFolder(_ name: [UInt8]) -> Bool { name.last == UInt8(ascii: "/") }

  /// Returns whether a part of a name begins with a dot, as hidden files do.
  private static func isHidden(_ name: [UInt8]) -> Bool {
    name.split(separator: UInt8(ascii: "/")).contains { part in
      part.first == UInt8(ascii: ".") && !part.elementsEqual(".".utf8) && !part.elementsEqual("..".utf8)
    }
  }
}

/// The extended values of a member.
private struct TarValues {
  /// The name, with its folders. The path of a sparse file is a made-up one beside it.
  var name: [UInt8]? {
    get { sparseName ?? path }
    set { path = newValue }
  }
  private var path: [UInt8]?
  private var sparseName: [UInt8]?
  var size: Int?
  /// True if the file has holes, which its content leaves out.
  var isSparse = false

  /// Reads records of the form `LENGTH KEY=VALUE\n`. Damaged ones end the list.
  mutating func add(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while let space = rest.firstIndex(of: 32) {
      guard let length = Int(String(decoding: rest[..<space], as: UTF8.self)),
        length > space - rest.startIndex + 1,
        length <= rest.count
      else { return }
      let record = rest[(space + 1)..<(rest.startIndex + length)]
      rest = rest[(rest.startIndex + length)...]
      guard let equals = record.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let value = record[(equals + 1)...].dropLast()
      let key = String(decoding: record[..<equals], as: UTF8.self)
      if key.hasPrefix("GNU.sparse.") { isSparse = true }
      switch key {
      case "GNU.sparse.name": sparseName = Array(value)
      case "path": name = Array(value)
      case "size": size = Int(String(decoding: value, as: UTF8.self)).flatMap { $0 >= 0 ? $0 : nil }
      default: break
      }
    }
  }
}

/// The content of a member of a tar archive.
///
/// `@unchecked Sendable` because one thread at a time reads a source; see ``ByteSource``.
private final class TarMemberBytes: ByteSource, @unchecked Sendable {
  private let source: PeekedBytes
  /// The bytes of the content that were not read.
  private(set) var left: Int
  private var padding: Int
  private(set) var hasFailed = false

  init(_ source: PeekedBytes, size: Int) {
    self.source = source
    left = size
    padding = (TarHeader.blockBytes - size % TarHeader.blockBytes) % TarHeader.blockBytes
  }

  func next() throws(InputFailure) -> [UInt8] {
    guard left > 0 else { return [] }
    do throws(InputFailure) {
      let piece = try source.next(limit: left)
      guard !piece.isEmpty else { throw .cutArchive }
      left -= piece.count
      return piece
    } catch {
      hasFailed = true
      throw error
    }
  }

  /// Skips the rest, and the zeros up to the next block.
  func skip() throws(InputFailure) {
    while try !next().isEmpty {}
    left = padding
    padding = 0
    while try !next().isEmpty {}
  }
}

extension InputFailure {
  fileprivate static let cutArchive = InputFailure(.refused, "the archive is cut off here")
}
