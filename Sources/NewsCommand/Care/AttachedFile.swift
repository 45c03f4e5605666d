import Foundation
import ManagedContext
import NewsModel
import SQLiteStore
import WebAddress
import TextOutput

/// An attached store's file, which is verified before use.
enum AttachedFile {
  /// Returns the file name in a path, without its extension.
  static func defaultName(for path: String) -> String {
    let file = URL(fileURLWithPath: path).lastPathComponent
    return file.split(separator: ".", maxSplits: 1).first.map(String.init) ?? file
  }

  /// Rejects names that cannot be a file name, or cannot be typed or shown again.
  static func check(name: String) throws {
    let isPlain = name.unicodeScalars.allSatisfy { scalar in
      scalar.properties.isAlphabetic || scalar.properties.numericType != nil
        || "-_.+ ".unicodeScalars.contains(scalar)
    }
    guard isPlain, let first = name.first, first.isLetter || first.isNumber, name.utf8.count <= 100 else {
      throw CommandFailure(
        .usage,
        "\(printable(WebAddress.withoutPassword(name))): not a valid name for a store; choose one of letters and digits with --name"
      )
    }
  }

  /// Checks a file that a user names.
  ///
  /// - Returns: The absolute path.
  static func verify(_ path: String, notStore store: String) throws -> String {
    let file = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    try InputFile.checkExists(path)
    guard file != URL(fileURLWithPath: store).resolvingSymlinksInPath().path else {
      throw CommandFailure(.usage, "\(printable(path)): this is the store itself")
    }
    try open(file, verifies: true)
    return file
  }

  /// Creates the folder for the search indexes of attached stores.
  static func createFolder(besideStore store: String) throws {
    let folder = folder(besideStore: store)
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw CommandFailure(
        .cannotCreate, "\(printable(folder.path)): the folder cannot be created: \(systemCause(of: error))")
    }
  }

  private static func folder(besideStore store: String) -> URL { URL(fileURLWithPath: store + ".attached") }

  /// Returns the path for an attached store's search index.
  static func index(ofStoreNamed name: String, besideStore store: String) -> String {
    folder(besideStore: store).appendingPathComponent("\(name).search").path
  }

  /// Removes an attached store's search index, so that another store may take its name.
  static func removeIndex(ofStoreNamed name: String, besideStore store: String) {
    let path = index(ofStoreNamed: name, besideStore: store)
    for ending in ["", "-journal"] { try? FileManager.default.removeItem(atPath: path + ending) }
  }

  /// Counts the articles and feeds in a store.
  static func contents(of path: String) throws -> (articles: Int, feeds: Int) {
    let store = try open(path, verifies: false)
    return try describingErrors(path) { () throws(StoreError) in
      (
        try store.count(StoreQuery(entity: NewsModel.Place.article)),
        try store.count(StoreQuery(entity: NewsModel.Place.feed))
      )
    }
  }

  @discardableResult
  private static func open(_ path: String, verifies: Bool) throws -> SQLiteStore {
    try describingErrors(path) { () throws(StoreError) in try NewsStack.attached(path, verifies: verifies) }
  }

  private static func describingErrors<Value>(
    _ path: String, _ body: () throws(StoreError) -> Value
  ) throws -> Value {
    do throws(StoreError) {
      return try body()
    } catch {
      let cause = error.text(at: path)
      let status = CommandFailure(error, store: .file(path)).status
      throw CommandFailure(status == .cannotCreate ? .badInput : status, "\(cause); it was not attached")
    }
  }
}
