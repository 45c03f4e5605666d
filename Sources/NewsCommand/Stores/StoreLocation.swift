import TextOutput
import Foundation
import Glibc
import PostgreSQLStore
import SQLiteStore

/// A store's location: a file, or an address on a PostgreSQL server.
enum StoreLocation: Sendable {
  case file(String)
  case server(StoreAddress)

  /// - Parameter text: A path or an address, as the user writes it.
  init(_ text: String) { self = StoreAddress(text).map(Self.server) ?? .file(text) }

  /// Returns the reason why a text is not a location; nil if it is one.
  static func mistake(in text: String) -> String? {
    if let address = StoreAddress(text) { return address.mistake }
    // Without these checks, a file with this name would be created, and the name would be printed with its
    // password.
    let lower = text.lowercased()
    if ["postgresql://", "postgres://"].contains(where: lower.hasPrefix) {
      return "an address of a server begins with postgresql:// in small letters"
    }
    if text.hasPrefix("/") || text.hasPrefix("./") || text.hasPrefix("../") { return nil }
    let name = lower.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-._".contains($0)) }
    let rest = lower.dropFirst(name.count)
    let isOption = rest.hasPrefix("=") && options.contains(String(name))
    let isAddress =
      !name.isEmpty && rest.hasPrefix("://")
      || ["postgresql:", "postgres:", "postgresql//", "postgres//"].contains(where: lower.contains)
    guard isOption || isAddress else { return nil }
    return """
      a store is a file, or an address such as postgresql://HOST/DATABASE; the name of such a file begins with ./
      """
  }

  /// The options that begin a libpq connection string, which is not an address here.
  private static let options: Set = [
    "dbname", "host", "hostaddr", "passfile", "password", "port", "service", "sslmode", "user",
  ]

  /// The path, or the address without its password: for messages.
  var name: String {
    switch self {
    case .file(let path): path
    case .server(let address): address.withoutPassword
    }
  }

  /// The absolute path, or the address with its password: for programs that this one starts.
  var forPrograms: String {
    switch self {
    case .file(let path): URL(fileURLWithPath: path).path
    case .server(let address): address.text
    }
  }

  /// True if stores in files can be attached: on a server, they would be on one machine only.
  var canAttach: Bool { if case .file = self { true } else { false } }

  /// True if the store exists, or if that is not known before it is opened.
  var isThere: Bool {
    guard case .file(let path) = self else { return true }
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return ![ENOENT, ENOTDIR].contains(errno) }
    // An empty file becomes a store with the first save.
    return status.st_mode & S_IFMT != S_IFREG || status.st_size > 0
  }

  /// True if the user may write the store, or if that is not known before it is written.
  var isWritable: Bool {
    guard case .file(let path) = self else { return true }
    return unsafe access(path, W_OK) == 0 && access(FilePath.folder(of: path), W_OK) == 0
  }

  /// The interval between reads without a change notification: each read costs the server something.
  var lookInterval: Duration {
    switch self {
    case .file: .zero
    case .server: .seconds(5)
    }
  }

  /// Returns whether a path is the store, its search index, or a log or journal of either, by name or file.
  func contains(file path: String) -> Bool {
    guard case .file(let store) = self else { return false }
    return ReplacedFile.belongs(path, toStore: store)
  }
}
