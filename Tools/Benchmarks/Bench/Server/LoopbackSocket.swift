import Glibc

/// A listening socket for all addresses of the loopback device, and for no others. Each address is a host of its own for
/// a downloader.
///
/// The measuring process opens it and passes it to successive servers, so that the addresses in a store stay the same.
struct LoopbackSocket {
  let descriptor: Int32
  let port: UInt16

  init() throws {
    descriptor = socket(
      AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    let device = Array("lo".utf8)
    guard descriptor >= 0,
      setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, device, socklen_t(device.count)) == 0
    else { throw Failure.system("socket") }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { [descriptor] pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && listen(descriptor, 4096) == 0
          && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard code else { throw Failure.system("bind") }
    port = UInt16(bigEndian: address.sin_port)
  }

  /// Returns the address of a publisher's feed.
  func url(publisher: Int, feed: Int) -> String {
    // 127.0.0.1 is left to others.
    let host = publisher + 256
    return "http://127.\(host >> 16 & 0xFF).\(host >> 8 & 0xFF).\(host & 0xFF):\(port)/\(feed)"
  }

  /// Returns the address of a feed's file. Consecutive feeds are on 50 different hosts.
  static func url(_ path: String, of feed: Int, port: UInt16) -> String {
    "http://127.0.0.\(1 + feed % 50):\(port)/\(path)"
  }
}

/// A server on a socket, in a separate process.
struct ServerProcess {
  private let process: ChildProcess

  private init(_ arguments: [String], on socket: LoopbackSocket) throws {
    process = try ChildProcess(
      [ChildProcess.ownPath] + arguments + ["--socket", "\(socket.descriptor)"],
      descriptors: [socket.descriptor])
  }

  /// Serves a folder.
  static func files(
    in folder: String, on socket: LoopbackSocket, withoutValidators: Bool = false
  ) throws -> ServerProcess {
    try ServerProcess(
      ["serve", folder] + (withoutValidators ? ["--without-validators"] : []), on: socket)
  }

  /// Serves the feeds of publishers.
  ///
  /// - Parameter delay: The time until an answer, in milliseconds.
  static func publishers(on socket: LoopbackSocket, delay: Int = 0) throws -> ServerProcess {
    try ServerProcess(["publish", "--delay", "\(delay)"], on: socket)
  }

  /// Ends the server.
  @discardableResult
  func stop() throws -> ChildProcess.End {
    process.terminate()
    return try process.wait()
  }
}
