import ArgumentParser
import Corpus
import Glibc
import LoopbackServer
import Threading

/// Serves the files of a folder on an open listening socket, with one thread for each connection and as little work as
/// possible.
///
/// It runs in a separate process, so that its work is not included in the measurement.
struct FileServer: Sendable {
  let folder: String
  /// True if answers have an ETag and a date, and matching conditional requests get 304.
  let hasValidators: Bool

  /// Accepts connections until the parent process ends.
  func serve(_ descriptor: Int32) throws {
    let listener = Socket(descriptor: descriptor)
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let parent = getppid()
    while getppid() == parent {
      guard poll(&polled, 1, 1000) > 0, let connection = listener.accept() else { continue }
      try OwnThread(name: "connection") {
        var reader = RequestReader(socket: connection, connection: 0)
        while let request = reader.next(), answer(request, on: connection) {}
      }.detach()
    }
  }

  /// Answers a request; returns false if the connection must be closed.
  private func answer(_ request: ReceivedRequest, on connection: Socket) -> Bool {
    let isOutside = request.method != "GET" || request.target.contains("..")
    let file = isOutside ? -1 : open(folder + request.target, O_RDONLY | O_CLOEXEC)
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
      if request.text(of: "If-None-Match") == tag {
        return Self.send("HTTP/1.1 304 Not Modified\r\n\(validators)\r\n", on: connection)
      }
    }
    let type = Self.contentType(request.target)
    let head =
      "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(status.st_size)\r\n\(validators)\r\n"
    return Self.send(head, on: connection) && Self.send(file, count: status.st_size, on: connection)
  }

  private static func contentType(_ path: String) -> String {
    if path.hasSuffix(".rss") { return "application/rss+xml" }
    if path.hasSuffix(".atom") { return "application/atom+xml" }
    return path.hasSuffix(".json") ? "application/feed+json" : "application/xml"
  }

  private static func send(_ text: String, on connection: Socket) -> Bool {
    connection.send(Array(text.utf8)[...])
  }

  /// Sends a file without copying its bytes into this process.
  private static func send(_ file: Int32, count: Int, on connection: Socket) -> Bool {
    var rest = count
    while rest > 0 {
      let sent = sendfile(connection.descriptor, file, nil, rest)
      guard sent > 0 else { return false }
      rest -= sent
    }
    return true
  }
}

/// Serves a folder on an inherited socket.
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "serve", shouldDisplay: false)

  @Argument var folder: String
  @Option var socket: Int32
  @Flag var withoutValidators = false

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    try FileServer(folder: folder, hasValidators: !withoutValidators).serve(socket)
  }
}
