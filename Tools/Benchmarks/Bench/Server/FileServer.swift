import Corpus
import Glibc
import Threading

/// Serves the files of a folder on open listening sockets, with one thread for each connection and as little work as
/// possible.
///
/// It runs in a separate process, so that its work is not included in the measurement.
struct FileServer: Sendable {
  let folder: String
  /// True if answers have an ETag and a date, and matching conditional requests get 304.
  let hasValidators: Bool

  /// Accepts connections until the process ends.
  func serve(_ listeners: [Int32]) throws {
    var polled = listeners.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let parent = getppid()
    // The server ends with its parent process.
    while getppid() == parent {
      guard poll(&polled, nfds_t(polled.count), 1000) > 0 else { continue }
      for place in polled.indices where polled[place].revents != 0 {
        let connection = accept(polled[place].fd, nil, nil)
        guard connection >= 0 else { continue }
        var on: Int32 = 1
        setsockopt(
          connection, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        try OwnThread(name: "connection") { serve(connection: connection) }.detach()
      }
    }
  }

  private func serve(connection: Int32) {
    defer { close(connection) }
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      while let end = Self.headEnd(received) {
        let request = FileRequest(head: received[..<end])
        received.removeFirst(end)
        guard answer(request, on: connection) else { return }
      }
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0, received.count < 64 << 10 else { return }
      received += buffer[..<count]
    }
  }

  /// Returns the index after a head's empty line; nil if the head is incomplete.
  private static func headEnd(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= 4 else { return nil }
    return (4...bytes.count).first { bytes[($0 - 4)..<$0].elementsEqual([0x0D, 0x0A, 0x0D, 0x0A]) }
  }

  /// Answers a request; returns false if the connection must be closed.
  private func answer(_ request: FileRequest, on connection: Int32) -> Bool {
    let file = request.path.map { open(folder + $0, O_RDONLY | O_CLOEXEC) } ?? -1
    guard file >= 0 else {
      return Self.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", on: connection)
    }
    defer { close(file) }
    var status = stat()
    fstat(file, &status)
    var validators = ""
    if hasValidators {
      let tag =
        "\"\(String(status.st_size, radix: 16))-\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)\""
      let date = Moment(seconds: status.st_mtim.tv_sec).mail
      validators = "ETag: \(tag)\r\nLast-Modified: \(date)\r\n"
      if request.knownTag == tag {
        return Self.send("HTTP/1.1 304 Not Modified\r\n\(validators)\r\n", on: connection)
      }
    }
    let type = Self.contentType(request.path ?? "")
    let head =
      "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(status.st_size)\r\n\(validators)\r\n"
    return Self.send(head, on: connection) && Self.send(file, count: status.st_size, on: connection)
  }

  private static func contentType(_ path: String) -> String {
    if path.hasSuffix(".rss") { return "application/rss+xml" }
    if path.hasSuffix(".atom") { return "application/atom+xml" }
    return path.hasSuffix(".json") ? "application/feed+json" : "application/xml"
  }

  private static func send(_ text: String, on connection: Int32) -> Bool {
    let bytes = Array(text.utf8)
    return Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  /// Sends a file without copying its bytes into this process.
  private static func send(_ file: Int32, count: Int, on connection: Int32) -> Bool {
    var rest = count
    while rest > 0 {
      let sent = sendfile(connection, file, nil, rest)
      guard sent > 0 else { return false }
      rest -= sent
    }
    return true
  }
}
