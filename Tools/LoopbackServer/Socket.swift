import Glibc

/// A TCP socket on the loopback interface, closed with the last reference to it.
@safe package final class Socket: Sendable {
  package let descriptor: Int32

  package init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    _ = close(descriptor)
  }

  /// Returns a socket that listens on 127.0.0.1. Port 0 lets the system choose.
  static func listening(port: UInt16) throws(ServerError) -> Socket {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .system("socket", errno) }
    let listener = Socket(descriptor: descriptor)
    listener.setOption(SOL_SOCKET, SO_REUSEADDR)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, length) }
    }
    guard bound == 0 else { throw .system("bind", errno) }
    guard listen(descriptor, 1024) == 0 else { throw .system("listen", errno) }
    return listener
  }

  var port: UInt16 {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getsockname(descriptor, $0, &length)
      }
    }
    return code == 0 ? UInt16(bigEndian: address.sin_port) : 0
  }

  /// Returns the next connection; nil if it is already gone.
  package func accept() -> Socket? {
    let connection = Glibc.accept(descriptor, nil, nil)
    guard connection >= 0 else { return nil }
    _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
    let socket = Socket(descriptor: connection)
    socket.setOption(Int32(IPPROTO_TCP), TCP_NODELAY)
    return socket
  }

  /// Sends all bytes; returns false if the client has disconnected.
  package func send(_ bytes: ArraySlice<UInt8>) -> Bool {
    unsafe bytes.withUnsafeBytes { buffer in
      var sent = 0
      while sent < buffer.count {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[sent...])
        let count = unsafe Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }
  }

  /// Returns received data, up to a number of bytes; empty if the client has disconnected.
  func receive(atMost count: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, received in
      received = max(0, unsafe recv(descriptor, buffer.baseAddress, count, 0))
    }
  }

  /// True if the client has closed the connection and all its data has been read.
  var isClosedByClient: Bool {
    var byte: UInt8 = 0
    return unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK)) <= 0
  }

  /// True if the client has closed the connection, also while data of it is unread. It does not wait.
  var isLeftByClient: Bool {
    // POLLRDHUP
    var state = pollfd(fd: descriptor, events: 0x2000, revents: 0)
    return unsafe poll(&state, 1, 0) > 0
  }

  /// Shuts down both directions, which wakes a thread waiting for the socket.
  func shutDown() {
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
  }

  /// Makes the close send a reset.
  func resetOnClose() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
  }

  private func setOption(_ level: Int32, _ option: Int32) {
    var on: Int32 = 1
    _ = unsafe setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
  }
}

/// The reason why a server could not start.
public enum ServerError: Error, Sendable, CustomStringConvertible {
  /// A system call failed with an error number.
  case system(String, Int32)
  /// The folder to serve does not exist.
  case notAFolder(String)

  /// The reason in one line.
  public var description: String {
    switch self {
    case .system(let call, let number):
      "\(call): \(unsafe strerror(number).map { unsafe String(cString: $0) } ?? "")"
    case .notAFolder(let path): "\(path): not a folder"
    }
  }
}
