import DocumentReading
import Foundation
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
    let handle = try open(path)
    defer { if path != "-" { try? handle.close() } }
    while true {
      let chunk: Data?
      do {
        chunk = try handle.read(upToCount: chunkBytes)
      } catch {
        throw CommandFailure(.inputOutput, "\(path): cannot be read: \(systemCause(of: error))")
      }
      guard let chunk, !chunk.isEmpty else { return }
      try body([UInt8](chunk))
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

  private static func open(_ path: String) throws -> FileHandle {
    if path == "-" { return .standardInput }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw CommandFailure(.noInput, "\(named(WebAddress.withoutPassword(path))): no such file")
    }
    if isFolder.boolValue { throw CommandFailure(.badInput, "\(path): a folder, not a file") }
    if let cause = refusal(of: path) { throw CommandFailure(.badInput, "\(path): \(cause)") }
    guard let handle = FileHandle(forReadingAtPath: path) else {
      throw CommandFailure(.inputOutput, "\(path): cannot be opened; may you read it?")
    }
    return handle
  }
}
