/// Reads the files in a tar, zip or 7z archive, one after the other.
///
/// Names are only names: no file is ever written, and no link is followed.
final class ArchiveReader {
  /// A file in the archive.
  struct Member {
    let name: [UInt8]
    /// The content, or the reason why it is not read.
    let bytes: Result<any ByteSource, InputFailure>
  }

  private let stream: ArchiveStream
  private var hasBegun = false
  private var hasEnded = false
  /// True if the source ended after a file, without the closing zero blocks. Some programs omit them.
  private(set) var lacksEnd = false

  /// Returns nil if the source is not an archive.
  init?(_ source: PeekedBytes) throws(InputFailure) {
    switch InputForm(try source.peek(InputForm.headBytes)) {
    case .plain, .gzip, .compressed: return nil
    // No index, because libarchive accepts a position after the end of a truncated file.
    case .tar: stream = try ArchiveStream(archive: source, indexedIn: nil)
    case .zip: stream = try ArchiveStream(archive: source, indexedIn: source.file)
    case .sevenZip:
      guard let file = source.file else {
        throw InputFailure(.refused, "a 7z archive, which is read only as a file of its own; unpack it first")
      }
      stream = try ArchiveStream(archive: source, indexedIn: file)
    }
  }

  /// Returns the next file; nil at the end. The rest of the current file is skipped.
  ///
  /// - Throws: ``InputFailure`` if the archive is truncated or damaged. Nothing follows then.
  func next() throws(InputFailure) -> Member? {
    // A member's failure was reported with its document.
    while !hasEnded, !stream.hasFailed {
      guard let header = try stream.nextHeader() else {
        hasEnded = true
        lacksEnd = stream.lacksEnd
        break
      }
      if !hasBegun, Self.packageNames.contains(where: { header.name.elementsEqual($0.utf8) }) {
        hasEnded = true
        throw .packagedDocument
      }
      hasBegun = true
      guard header.isFile, !Self.isHidden(header.name) else { continue }
      return Member(name: header.name, bytes: bytes(of: header))
    }
    return nil
  }

  private func bytes(of header: ArchiveStream.Header) -> Result<any ByteSource, InputFailure> {
    if header.isSparse {
      return .failure(InputFailure(.refused, "a sparse file of the archive, which is not read"))
    }
    return header.isEncrypted ? .failure(.encrypted) : .success(stream)
  }

  /// The names of the first member of documents that are zip archives: ECMA-376 part 2 (10.2.3), OpenDocument
  /// part 2 (3.3) and EPUB OCF (4.3).
  private static let packageNames = ["[Content_Types].xml", "mimetype"]

  /// Returns whether a part of a name begins with a dot, as hidden files do.
  private static func isHidden(_ name: [UInt8]) -> Bool {
    name.split(separator: UInt8(ascii: "/")).contains { part in
      part.first == UInt8(ascii: ".") && !part.elementsEqual(".".utf8) && !part.elementsEqual("..".utf8)
    }
  }
}

extension InputFailure {
  fileprivate static let packagedDocument = InputFailure(
    .refused, "a packaged document, such as .docx, .odt or .epub; it is not an archive")
}
