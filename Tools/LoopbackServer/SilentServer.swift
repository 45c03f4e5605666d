/// A port on 127.0.0.1 where connections are taken by the system and nobody ever answers, not even to a TLS
/// handshake; it's free again when the last reference goes.
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
