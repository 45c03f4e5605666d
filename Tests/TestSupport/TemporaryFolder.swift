internal import Foundation

/// A folder for one test, which is deleted with its owner.
public final class TemporaryFolder: Sendable {
  public let path: String

  public init() throws {
    path =
      FileManager.default.temporaryDirectory.appendingPathComponent("newsimport-test-\(UUID().uuidString)")
      .path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Returns a path inside the folder.
  public func file(_ name: String) -> String { path + "/" + name }

  /// Removes everything in the folder.
  public func clear() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      try FileManager.default.removeItem(atPath: file(name))
    }
  }

  /// Writes a file and returns its path.
  public func write(_ name: String, _ content: some Sequence<UInt8>) throws -> String {
    let path = file(name)
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(content).write(to: URL(fileURLWithPath: path))
    return path
  }
}
