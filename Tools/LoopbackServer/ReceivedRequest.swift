/// One request as the server received it.
public struct ReceivedRequest: Sendable, Hashable {
  /// The method, such as `GET`.
  public let method: String
  /// The target from the request line.
  public let target: String
  /// The header fields in order, with values byte for byte.
  public let fields: [ReceivedField]
  /// The body; empty without one.
  public internal(set) var body: [UInt8] = []
  /// The number of its connection, from 1.
  public let connection: Int

  /// The target without its query.
  public var path: String { String(target.prefix { $0 != "?" }) }

  /// Returns the value of the first field named `name`, ignoring case; nil if none exists.
  public func value(of name: String) -> [UInt8]? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// Returns ``value(of:)`` as text.
  public func text(of name: String) -> String? {
    value(of: name).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Parses a request's head without its empty line; nil if it is invalid.
  init?(head: ArraySlice<UInt8>, connection: Int) {
    let lines = head.split(separator: UInt8(ascii: "\n")).map {
      $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0
    }
    guard let first = lines.first else { return nil }
    let words = first.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
    guard words.count == 3 else { return nil }
    method = words[0]
    target = words[1]
    fields = lines.dropFirst().compactMap(ReceivedField.init(line:))
    self.connection = connection
  }
}

/// One header field of a request.
public struct ReceivedField: Sendable, Hashable {
  /// The name as it was written.
  public let name: String
  /// The value without surrounding blanks.
  public let value: [UInt8]

  init?(line: ArraySlice<UInt8>) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    name = String(decoding: line[..<colon], as: UTF8.self)
    let rest = line[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
    let end = rest.lastIndex { $0 != 0x20 && $0 != 0x09 }.map { $0 + 1 } ?? rest.startIndex
    value = Array(rest[..<end])
  }
}
