/// Reads the requests of one connection. A body must state its length.
package struct RequestReader {
  /// The longest head and the longest body, in bytes. A longer one ends the connection.
  private static let maxBytes = 1 << 20
  private let socket: Socket
  private let connection: Int
  private var buffer: [UInt8] = []

  package init(socket: Socket, connection: Int) {
    self.socket = socket
    self.connection = connection
  }

  /// Waits for the next request; nil if the client has disconnected or sends anything else.
  package mutating func next() -> ReceivedRequest? {
    var searched = 0
    while true {
      if let end = headEnd(from: searched) {
        let request = ReceivedRequest(head: buffer[..<end], connection: connection)
        buffer.removeFirst(end)
        return request.flatMap { withBody($0) }
      }
      searched = max(0, buffer.count - 3)
      let bytes = socket.receive(atMost: 16 << 10)
      guard !bytes.isEmpty, buffer.count < Self.maxBytes else { return nil }
      buffer += bytes
      // Another protocol, such as a TLS handshake, has no line end. The client and the server would wait for each
      // other.
      guard let first = buffer.first, first >= UInt8(ascii: "A") else { return nil }
    }
  }

  /// Waits for a request's body; nil if the client has disconnected before its end.
  private mutating func withBody(_ request: ReceivedRequest) -> ReceivedRequest? {
    var request = request
    let count = request.text(of: "Content-Length").flatMap(Int.init) ?? 0
    guard (0...Self.maxBytes).contains(count) else { return nil }
    while buffer.count < count {
      let bytes = socket.receive(atMost: 16 << 10)
      if bytes.isEmpty { return nil }
      buffer += bytes
    }
    request.body = Array(buffer.prefix(count))
    buffer.removeFirst(count)
    return request
  }

  /// Returns the index after a head's empty line.
  private func headEnd(from start: Int) -> Int? {
    guard buffer.count >= start + 4 else { return nil }
    return (start...(buffer.count - 4)).first { index in
      buffer[index] == 0x0D && buffer[index + 1] == 0x0A && buffer[index + 2] == 0x0D
        && buffer[index + 3] == 0x0A
    }.map { $0 + 4 }
  }
}
