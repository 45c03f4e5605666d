/// Reads the documents in files, folders, archives and standard input, one after the other.
///
/// Compression and archives are recognized by their bytes, not by names. One thread at a time uses it.
package final class InputReader {
  /// The next part of the input.
  package enum Part: Sendable {
    case document(InputDocument)
    /// A file that could not be read.
    case failure(name: String, InputFailure)
    /// A doubt about a file that was read.
    case doubt(name: String, cause: String)
  }

  private struct Archive {
    let reader: ArchiveReader
    let name: String
    let address: String
  }

  private var arguments: ArraySlice<String>
  private var walk: FolderWalk?
  private let mustEnd: @Sendable () -> Bool
  private var archive: Archive?

  /// - Parameters:
  ///   - arguments: Paths to files and folders; `-` is standard input.
  ///   - mustEnd: Asked while a pipe has no bytes; true ends the wait with a failure.
  package init(
    _ arguments: [String], until mustEnd: @escaping @Sendable () -> Bool = { false }
  ) {
    (self.arguments, self.mustEnd) = (arguments[...], mustEnd)
  }

  /// Returns the next document or failure; nil at the end.
  package func next() -> Part? {
    while true {
      if let archive {
        if let part = next(of: archive) { return part }
        self.archive = nil
        if let doubt = archive.reader.doubt { return .doubt(name: archive.name, cause: doubt.cause) }
      }
      if let entry = walk?.next() {
        switch entry {
        case .failure(let path, let failure): return .failure(name: path.text, failure)
        case .file(let path):
          let part = part(path.text, path.resolved.address, canReopen: true) { () throws(InputFailure) in
            try FileBytes(openingEntry: path)
          }
          if let part { return part }
          continue
        }
      }
      walk = nil
      guard let argument = arguments.popFirst() else { return nil }
      if let part = begin(argument) { return part }
    }
  }

  /// Begins an argument; returns its document, or nil for a folder or an archive.
  private func begin(_ argument: String) -> Part? {
    if argument == "-" {
      return part(argument, "file:-", isStreamed: true) { [mustEnd] () throws(InputFailure) in
        FileBytes(standardInputUntil: mustEnd)
      }
    }
    let path = FilePathBytes(argument)
    do throws(InputFailure) {
      guard try FileKind(of: path, follows: true) == .folder else {
        let isRegular = try FileKind(of: path, follows: true) == .regular
        return part(argument, path.resolved.address, canReopen: isRegular) {
          [mustEnd] () throws(InputFailure) in try FileBytes(opening: path, until: mustEnd)
        }
      }
      walk = try FolderWalk(path)
      return nil
    } catch {
      return .failure(name: argument, error)
    }
  }

  /// Opens a file; returns its document, or nil if it is an archive, which is read next.
  private func part(
    _ name: String, _ address: String, isStreamed: Bool = false, canReopen: Bool = false,
    _ open: @escaping () throws(InputFailure) -> any ByteSource
  ) -> Part? {
    do throws(InputFailure) {
      let source = try DecodedBytes.of(try open())
      if let reader = try ArchiveReader(source) {
        archive = Archive(reader: reader, name: name, address: address)
        return nil
      }
      var reopen: (() throws(InputFailure) -> any ByteSource)?
      if canReopen {
        reopen = { () throws(InputFailure) -> any ByteSource in try DecodedBytes.of(try open()) }
      }
      return .document(
        try InputDocument(
          name: name, address: address, of: source, isStreamed: isStreamed, reopen: reopen))
    } catch {
      return .failure(name: name, error)
    }
  }

  /// Returns an archive's next document; nil after the last.
  private func next(of archive: Archive) -> Part? {
    let member: ArchiveReader.Member
    do throws(InputFailure) {
      guard let next = try archive.reader.next() else { return nil }
      member = next
    } catch {
      return .failure(name: archive.name, error)
    }
    let path = FilePathBytes(member.name)
    let name = "\(archive.name)/\(path.text)"
    do throws(InputFailure) {
      let source = try DecodedBytes.of(member.bytes.get())
      if InputForm(try source.peek(InputForm.headBytes)).isArchive {
        throw InputFailure(.refused, "an archive in an archive; unpack the outer one first")
      }
      return .document(
        try InputDocument(
          name: name, address: "\(archive.address)/\(FilePathBytes.percentEncoded(path.bytes))", of: source,
          isStreamed: true))
    } catch {
      return .failure(name: name, error)
    }
  }

  /// Returns whether the remaining arguments have at least this many files or bytes. Nothing is opened.
  package func has(files: Int, orBytes bytes: Int) -> Bool {
    var (files, bytes) = (files, bytes)
    /// Returns false when there are enough files or bytes.
    func count(_ path: FilePathBytes) -> Bool {
      files -= 1
      bytes -= path.fileSize
      return files > 0 && bytes > 0
    }
    for argument in arguments {
      let path = FilePathBytes(argument)
      guard (try? FileKind(of: path, follows: true)) == .folder else {
        if !count(path) { return true }
        continue
      }
      var walk = try? FolderWalk(path)
      while let entry = walk?.next() {
        if case .file(let file) = entry, !count(file) { return true }
      }
    }
    return false
  }
}

extension ArchiveReader.Doubt {
  fileprivate var cause: String {
    switch self {
    case .lacksEnd:
      "the blocks that mark the end of the archive are missing; if it was cut off, files are missing"
    case .lacksIndex: "the archive's index is damaged; its files were read from the beginning to the end"
    }
  }
}
