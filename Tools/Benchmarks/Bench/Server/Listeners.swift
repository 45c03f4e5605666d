import Glibc

/// One port on many addresses of this machine. Each address is a separate host for a downloader.
///
/// The measuring process opens them and passes them to successive servers, so that the addresses in a store stay the
/// same.
struct Listeners {
  /// The number of addresses from 127.0.0.1 on.
  static let hosts = 50

  let port: UInt16
  let descriptors: [Int32]

  init() throws {
    // A port that is free on the first address may be in use on another.
    for _ in 0..<20 {
      let first = try Self.listen(host: 1, port: 0)
      let port = try Self.port(of: first)
      let others = (2...Self.hosts).map { try? Self.listen(host: $0, port: port) }
      if others.allSatisfy({ $0 != nil }) {
        self.port = port
        descriptors = [first] + others.compactMap { $0 }
        return
      }
      for descriptor in [first] + others.compactMap({ $0 }) { close(descriptor) }
    }
    throw Failure("no port is free on all of 127.0.0.1 to 127.0.0.\(Self.hosts)")
  }

  /// Returns the address of a feed's file. Consecutive feeds are on different hosts.
  func url(_ path: String, of feed: Int) -> String {
    "http://127.0.0.\(1 + feed % Self.hosts):\(port)/\(path)"
  }

  private static func listen(host: Int, port: UInt16) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Failure.system("socket") }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = (0x7F00_0000 + UInt32(host)).bigEndian
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
    }
    guard isBound, Glibc.listen(descriptor, 4096) == 0 else {
      close(descriptor)
      throw Failure.system("listen")
    }
    return descriptor
  }

  private static func port(of descriptor: Int32) throws -> UInt16 {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    guard code == 0 else { throw Failure.system("getsockname") }
    return UInt16(bigEndian: address.sin_port)
  }
}
