/// Reads the requests of one connection. They must not have bodies.
struct RequestReader {
  /// The longest head, in bytes. A longer one ends the connection.
  private static let maxHeadBytes = 1 << 20
  private let socket: Socket
  private let connection: Int
  private var buffer: [UInt8] = []

  init(socket: Socket, connection: Int) {
    self.socket = socket
    self.connection = connection
  }

  /// Waits for the next request; nil if the client has disconnected or sends anything else.
  mutating func next() -> ReceivedRequest? {
    var searched = 0
    while true {
      if let end = headEnd(from: searched) {
        let request = ReceivedRequest(head: buffer[..<end], connection: connection)
        buffer.removeFirst(end)
        return request
      }
      searched = max(0, buffer.count - 3)
      let bytes = socket.receive(atMost: 16 << 10)
      guard !bytes.isEmpty, buffer.count < Self.maxHeadBytes else { return nil }
      buffer += bytes
      // Another protocol, such as a TLS handshake, has no line end. The client and the server would wait for each
      // other.
      guard let first = buffer.first, first >= UInt8(ascii: "A") else { return nil }
    }
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
