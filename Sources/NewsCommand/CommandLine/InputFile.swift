import DocumentReading
import TextOutput
import WebAddress

/// Reads files that a user names; `-` is standard input.
enum InputFile {
  static let chunkBytes = 64 << 10

  /// Returns whether an argument is an address to download; any other argument is a file.
  static func isAddress(_ text: String) -> Bool {
    let start = text.prefix(8).lowercased()
    return start.hasPrefix("http://") || start.hasPrefix("https://")
  }

  /// Returns a file's bytes.
  ///
  /// - Throws: ``CommandFailure``: 66 for a missing file, 65 for a folder or a file over `limit` bytes, 74
  ///   for a file that cannot be read.
  static func read(_ path: String, limit: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try forEachChunk(of: path) { chunk in
      bytes += chunk
      if bytes.count > limit {
        throw CommandFailure(.badInput, "\(path): larger than \(limit >> 20) MiB")
      }
    }
    return bytes
  }

  /// Passes the file in pieces to `body`. Throws errors from `body` and from ``read(_:limit:)``.
  static func forEachChunk(of path: String, _ body: ([UInt8]) throws -> Void) throws {
    // The null device ends at once.
    if path == "/dev/null" { return }
    do {
      let file =
        try path == "-" ? FileBytes(standardInputUntil: { false }) : FileBytes(opening: FilePathBytes(path))
      while case let chunk = try file.next(), !chunk.isEmpty { try body(chunk) }
    } catch let error as InputFailure {
      throw failure(error, path)
    }
  }

  /// Returns why a file cannot be read as one, without opening it: a device or a named pipe may never end.
  /// Nil if it can, or if its kind is unknown.
  static func refusal(of path: String) -> String? {
    // The null device ends at once.
    if path == "/dev/null" { return nil }
    return switch try? FileKind(of: FilePathBytes(path), follows: true) {
    case nil, .regular, .pipe: nil
    case let kind?: kind.refusal
    }
  }

  /// Checks that a file or folder exists and can be reached.
  ///
  /// - Throws: ``CommandFailure``: 66 for a missing file, 65 for an address, 74 for a folder that is closed to this user.
  static func checkExists(_ path: String) throws {
    if let error = absence(of: path) { throw failure(error, path) }
  }

  /// Returns why no file or folder is found at a path; nil if one is.
  static func absence(of path: String) -> InputFailure? {
    do throws(InputFailure) {
      _ = try FileKind(of: FilePathBytes(path), follows: true)
      return nil
    } catch {
      return error
    }
  }

  private static func failure(_ error: InputFailure, _ path: String) -> CommandFailure {
    let name = named(WebAddress.withoutPassword(path))
    if error.kind == .missing, path.contains("://") {
      return CommandFailure(
        .badInput, "\(name): not read; only files, and addresses of http and https, can be read")
    }
    let status: ExitStatus =
      switch error.kind {
      case .missing: .noInput
      case .refused: .badInput
      case .system, .stopped: .inputOutput
      }
    return CommandFailure(status, "\(name): \(error.cause)")
  }
}
