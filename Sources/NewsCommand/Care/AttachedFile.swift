import FeedImport
import Foundation
import ManagedContext
import NewsModel
import SQLiteStore
import Threading
import WebAddress
import TextOutput

/// An attached store's file, which is verified before use.
enum AttachedFile {
  /// Returns the file name in a path or an address, without its extension.
  static func defaultName(for place: String) -> String {
    let path = place.split(separator: "?", maxSplits: 1).first.map(String.init) ?? place
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

  /// Downloads a store, verifies it, and saves it next to the main store.
  ///
  /// - Returns: The file's path. After a failure, no file remains.
  static func download(
    _ url: String, name: String, besideStore store: String, userAgent: String, maxBytes: Int
  ) async throws -> String {
    let shown = printable(WebAddress.withoutPassword(url))
    // Each store has its own folder: a store next to it may have an attachment with the same name.
    let folder = try createFolder(besideStore: store)
    let file = folder.appendingPathComponent("\(name).sqlite").path
    let part = folder.appendingPathComponent(".\(name).\(getpid()).part").path
    defer { remove(part) }
    guard FileManager.default.createFile(atPath: part, contents: nil, attributes: [.posixPermissions: 0o600]),
      let handle = FileHandle(forWritingAtPath: part)
    else { throw CommandFailure(.cannotCreate, "\(printable(part)): cannot be created: \(systemCause())") }
    let writeFailure = Locked<String?>(nil)
    do throws(SingleDownload.Failure) {
      try await SingleDownload.file(at: WebAddress(url), userAgent: userAgent, maxBytes: maxBytes) { chunk in
        do {
          try handle.write(contentsOf: Data(chunk))
          return true
        } catch {
          writeFailure.withLock { $0 = systemCause(of: error) }
          return false
        }
      }
    } catch {
      if let cause = writeFailure.withLock(\.self) {
        throw CommandFailure(.inputOutput, "\(printable(part)): \(cause); nothing was attached")
      }
      throw CommandFailure(.unavailable, "\(shown): \(error.cause); nothing was attached")
    }
    do {
      try handle.close()
      try bringUpToDate(part)
      try open(part, verifies: true)
      try describingErrors(part) { () throws(StoreError) in try SQLiteStore.detachLog(ofFileAt: part) }
    } catch let failure as CommandFailure {
      throw CommandFailure(
        failure.status,
        "\(shown): the downloaded file is not a usable store: "
          + (failure.message ?? "").replacing(part + ": ", with: "").replacing(part, with: "it"))
    }
    guard rename(part, file) == 0 else {
      throw CommandFailure(.cannotCreate, "\(printable(file)): cannot be created: \(systemCause())")
    }
    return file
  }

  /// Creates the folder for downloaded stores and for the search indexes of attached ones.
  @discardableResult
  static func createFolder(besideStore store: String) throws -> URL {
    let folder = folder(besideStore: store)
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw CommandFailure(
        .cannotCreate, "\(printable(folder.path)): the folder cannot be created: \(systemCause(of: error))")
    }
    return folder
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

  /// Removes a downloaded file, and any files that SQLite may have left next to it.
  static func remove(_ path: String) {
    for ending in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + ending) }
  }

  /// Migrates a downloaded file in an older format. The file belongs to this store, so it may be changed.
  private static func bringUpToDate(_ path: String) throws {
    try describingErrors(path) { () throws(StoreError) in
      do throws(StoreError) {
        _ = try NewsStack.attached(path)
      } catch .older {
        try NewsStack.writable(path).close()
      }
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
