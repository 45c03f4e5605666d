import Glibc

/// The host part of an address to which libcurl is about to connect.
struct SocketAddress {
  /// The address: 4 bytes for IPv4, 16 bytes for IPv6.
  let bytes: [UInt8]
  private let family: Int32

  /// Reads a `sockaddr`; nil for any family other than IPv4 and IPv6.
  init?(family: Int32, bytes: [UInt8]) {
    self.family = family
    switch family {
    case AF_INET where bytes.count >= 8: self.bytes = Array(bytes[4..<8])
    case AF_INET6 where bytes.count >= 24: self.bytes = Array(bytes[8..<24])
    default: return nil
    }
  }

  /// The address as text, such as `127.0.0.1`.
  var text: String {
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard unsafe inet_ntop(family, bytes, &buffer, socklen_t(buffer.count)) != nil else {
      return "an address"
    }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
