import Glibc

/// A gate that delays responses until a test opens it. It stays open.
@safe public final class Gate: Sendable {
  /// A descriptor that is readable once the gate is open, so that a connection can wait for the gate and its client
  /// together.
  let descriptor: Int32
  private let opener: Int32

  /// Creates a closed gate.
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

  /// Releases all waiting and future responses.
  public func open() {
    // The byte is never read, so the pipe stays readable.
    _ = unsafe write(opener, [1], 1)
  }
}

/// Waiting for descriptors.
enum Readiness {
  /// Waits until one of `readable` can be read or the client of `watched` has disconnected.
  ///
  /// - Returns: The indices of `readable` that are ready; nil if the client disconnected.
  static func wait(readable: [Int32], watched: Socket? = nil) -> [Int]? {
    var polled = readable.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    if let watched { polled.append(pollfd(fd: watched.descriptor, events: Int16(POLLIN), revents: 0)) }
    while true {
      let count = unsafe poll(&polled, nfds_t(polled.count), -1)
      if count < 0 && errno == EINTR { continue }
      let ready = readable.indices.filter { polled[$0].revents != 0 }
      if !ready.isEmpty { return ready }
      guard let watched, !watched.isClosedByClient else { return nil }
      // A client that sends more data has not disconnected, and can no longer be watched.
      polled.removeLast()
    }
  }
}
