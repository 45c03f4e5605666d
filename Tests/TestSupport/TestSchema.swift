public import PostgreSQLStore

internal import Foundation

/// The server for tests, which `make test-postgresql` starts.
public enum TestServer {
  /// The address of its database; nil if there is none.
  public static let address = ProcessInfo.processInfo.environment["NEWSIMPORT_TEST_POSTGRESQL"]

  /// True if tests use stores on the server that otherwise use files.
  public static let replacesFiles =
    ProcessInfo.processInfo.environment["NEWSIMPORT_TEST_STORE"] == "postgresql"
}

/// A schema of its own for a test, which is deleted with this object.
public final class TestSchema: Sendable {
  /// An address whose `search_path` is the schema.
  public let address: StoreAddress
  private let server: StoreAddress
  /// The quoted name.
  private let name: String

  /// - Parameter start: The beginning of the schema's name.
  public init(_ start: String = "t") throws {
    guard let text = TestServer.address, let server = StoreAddress(text) else { throw NoServer() }
    let plain = start + String(UInt64.random(in: 0 ... .max), radix: 36)
    name = "\"" + plain.replacingOccurrences(of: "\"", with: "\"\"") + "\""
    self.server = server
    // In these options, a backslash precedes a blank.
    let path = name.replacingOccurrences(of: " ", with: "\\ ")
    guard let option = path.addingPercentEncoding(withAllowedCharacters: .alphanumerics),
      let address = StoreAddress("\(text)&options=-csearch_path%3D\(option)")
    else { throw NoServer() }
    self.address = address
    try PostgreSQLStore.execute("CREATE SCHEMA \(name)", at: server)
  }

  /// The address as text.
  public var text: String { address.text }

  /// Executes statements, and returns the first column of the last one's rows as texts; empty for null.
  public func rows(_ sql: String) throws -> [String] { try PostgreSQLStore.execute(sql, at: address) }

  deinit {
    _ = try? PostgreSQLStore.execute(
      "SET client_min_messages = error; DROP SCHEMA \(name) CASCADE", at: server)
  }

  private struct NoServer: Error {}
}
