import Foundation
import TextOutput

/// Files that a user names; `-` is standard input.
enum InputFile {
  /// How much is read at once.
  static let chunkBytes = 64 << 10

  /// The bytes of a file.
  ///
  /// - Throws: ``CommandFailure``: 66 for a missing file, 65 for a folder or a file over `limit` bytes, 74 for
  ///   one that cannot be read.
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

  /// Hands the file over piece by piece; throws what `body` throws, and as ``read(_:limit:)``.
  static func forEachChunk(of path: String, _ body: ([UInt8]) throws -> Void) throws {
    let handle = try open(path)
    defer { if path != "-" { try? handle.close() } }
    while true {
      let chunk: Data?
      do {
        chunk = try handle.read(upToCount: chunkBytes)
      } catch {
        throw CommandFailure(.inputOutput, "\(path): cannot be read")
      }
      guard let chunk, !chunk.isEmpty else { return }
      try body([UInt8](chunk))
    }
  }

  private static func open(_ path: String) throws -> FileHandle {
    if path == "-" { return .standardInput }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw CommandFailure(.noInput, "\(named(path)): no such file")
    }
    if isFolder.boolValue { throw CommandFailure(.badInput, "\(path): a folder, not a file") }
    guard let handle = FileHandle(forReadingAtPath: path) else {
      throw CommandFailure(.inputOutput, "\(path): cannot be opened; may you read it?")
    }
    return handle
  }
}
