import Glibc

/// Holds responses back until a test opens it; open once, open for ever.
@safe public final class Gate: Sendable {
  /// Readable when the gate is open, so that a connection can wait for it and for its client at once.
  let descriptor: Int32
  private let opener: Int32

  /// A closed gate.
  public init() {
    var ends: [Int32] = [-1, -1]
    let code = unsafe pipe(&ends)
    precondition(code == 0, "a gate needs two descriptors")
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    descriptor = ends[0]
    opener = ends[1]
  }

  deinit {
    _ = close(descriptor)
    _ = close(opener)
  }

  /// Lets through what waits and what will come.
  public func open() {
    // Nobody reads the byte, so the pipe stays readable.
    _ = unsafe write(opener, [1], 1)
  }
}

/// Waiting for descriptors.
enum Readiness {
  /// Waits until one of `readable` can be read or the client of `watched` has left.
  ///
  /// - Returns: The indices of `readable` that are ready; nil when the client left.
  static func wait(readable: [Int32], watched: Socket? = nil) -> [Int]? {
    var polled = readable.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    if let watched { polled.append(pollfd(fd: watched.descriptor, events: Int16(POLLIN), revents: 0)) }
    while true {
      let count = unsafe poll(&polled, nfds_t(polled.count), -1)
      if count < 0 && errno == EINTR { continue }
      let ready = readable.indices.filter { polled[$0].revents != 0 }
      if !ready.isEmpty { return ready }
      guard let watched, !watched.isClosedByClient else { return nil }
      // A client that sends more meanwhile has not left, and can't be watched any longer.
      polled.removeLast()
    }
  }
}
