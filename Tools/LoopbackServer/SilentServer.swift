/// A port on 127.0.0.1 that accepts connections but never answers, not even to a TLS handshake. It is released with the
/// last reference to it.
public final class SilentServer: Sendable {
  private let listener: Socket
  /// The port.
  public let port: UInt16

  /// Listens on a port that the system chooses.
  public init() throws(ServerError) {
    listener = try Socket.listening(port: 0)
    port = listener.port
  }
}
