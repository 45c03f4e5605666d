internal import Glibc

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

  /// What was not right, although files were read.
  enum Doubt {
    /// A tar archive ended after a file, without the closing zero blocks. Some programs omit them.
    case lacksEnd
    /// A zip archive's index is damaged. Its files were read from the beginning to the end instead.
    case lacksIndex
  }

  private var stream: ArchiveStream
  private let form: InputForm
  /// The file, if its index was read and its first header was not.
  private var indexedFile: FileBytes?
  private var hasBegun = false
  private var hasEnded = false
  /// Known at the end.
  private(set) var doubt: Doubt?

  /// Returns nil if the source is not an archive.
  init?(_ source: PeekedBytes) throws(InputFailure) {
    form = InputForm(try source.peek(InputForm.headBytes))
    switch form {
    case .plain, .gzip, .compressed: return nil
    // No index, because libarchive accepts a position after the end of a truncated file.
    case .tar, .cpio: stream = try ArchiveStream(archive: source, indexedIn: nil)
    case .zip:
      indexedFile = source.file
      stream = try ArchiveStream(archive: source, indexedIn: indexedFile)
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
      guard let header = try nextHeader() else {
        hasEnded = true
        if stream.lacksEnd { doubt = .lacksEnd }
        try stream.readRest()
        break
      }
      if !hasBegun, form == .zip, Self.packageNames.contains(where: { header.name.elementsEqual($0.utf8) }) {
        hasEnded = true
        throw .packagedDocument
      }
      hasBegun = true
      guard header.isFile, !Self.isHidden(header.name) else { continue }
      return Member(name: header.name, bytes: bytes(of: header))
    }
    return nil
  }

  private func nextHeader() throws(InputFailure) -> ArchiveStream.Header? {
    do throws(InputFailure) {
      let header = try stream.nextHeader()
      indexedFile = nil
      return header
    } catch {
      guard let file = indexedFile, file.seek(to: 0, from: SEEK_SET) == 0 else { throw error }
      indexedFile = nil
      stream = try ArchiveStream(archive: file, indexedIn: nil)
      doubt = .lacksIndex
      return try stream.nextHeader()
    }
  }

  private func bytes(of header: ArchiveStream.Header) -> Result<any ByteSource, InputFailure> {
    if header.isSparse {
      return .failure(InputFailure(.refused, "a sparse file of the archive, which is not read"))
    }
    return header.isEncrypted ? .failure(.encrypted) : .success(stream)
  }

  /// The names of the first member of documents that are zip archives. OpenDocument (part 2, 3.3) and EPUB OCF
  /// (4.3) demand `mimetype` there. Programs write one of the others first in documents of ECMA-376 (part 2).
  private static let packageNames = ["mimetype", "[Content_Types].xml", "_rels/.rels"]

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
