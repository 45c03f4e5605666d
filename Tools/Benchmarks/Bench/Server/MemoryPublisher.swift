import ArgumentParser
import Glibc

/// Answers requests for small feeds from memory, on one thread.
///
/// Each path is a feed with one article. All loopback addresses are publishers of their own for a downloader.
struct MemoryPublisher {
  /// The time between a request and its answer.
  let delay: Duration

  private struct Connection {
    /// The number of the connection: descriptors are used again.
    let number: Int
    /// What was received of the next request.
    var received: [UInt8] = []
  }

  private struct Answer {
    let due: ContinuousClock.Instant
    let descriptor: Int32
    let connection: Int
    let bytes: [UInt8]
  }

  /// Accepts connections until the parent process ends.
  func serve(_ listener: Int32) throws {
    var polled = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
    var connections: [Int32: Connection] = [:]
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    var (accepted, sent) = (0, 0)
    var answers: [Answer] = []
    let parent = getppid()
    // The publisher ends with its parent process.
    while getppid() == parent {
      let next = sent < answers.count ? answers[sent].due - .now : .seconds(1)
      guard poll(&polled, nfds_t(polled.count), Int32(max(0, next / .milliseconds(1)).rounded(.up))) >= 0
      else {
        throw Failure.system("poll")
      }
      let isAsked = polled[0].revents != 0
      var place = 1
      while place < polled.count {
        let descriptor = polled[place].fd
        if polled[place].revents == 0 {
          place += 1
          continue
        }
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0, let connection = connections[descriptor] else {
          connections[descriptor] = nil
          close(descriptor)
          polled.swapAt(place, polled.count - 1)
          polled.removeLast()
          continue
        }
        let request = connection.received + buffer[..<count]
        // A downloader sends one request after the other.
        if request.suffix(4).elementsEqual("\r\n\r\n".utf8) {
          answers.append(
            Answer(
              due: .now + delay, descriptor: descriptor, connection: connection.number,
              bytes: Self.answer(to: request)))
          connections[descriptor] = Connection(number: connection.number)
        } else {
          connections[descriptor] = Connection(number: connection.number, received: request)
        }
        place += 1
      }
      while isAsked, case let descriptor = accept(listener, nil, nil), descriptor >= 0 {
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        accepted += 1
        connections[descriptor] = Connection(number: accepted)
        polled.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
      }
      let now = ContinuousClock.now
      while sent < answers.count, answers[sent].due <= now {
        let answer = answers[sent]
        sent += 1
        // An answer fits into the buffer of its socket.
        if connections[answer.descriptor]?.number == answer.connection {
          send(answer.descriptor, answer.bytes, answer.bytes.count, Int32(MSG_NOSIGNAL))
        }
      }
      if sent > 4096 || sent == answers.count {
        answers.removeFirst(sent)
        sent = 0
      }
    }
  }

  /// True if a request has a validator.
  private static func isConditional(_ head: [UInt8]) -> Bool {
    head.indices.contains {
      head[$0] == UInt8(ascii: "\n") && head[($0 + 1)...].starts(with: "If-None-Match:".utf8)
    }
  }

  private static func answer(to head: [UInt8]) -> [UInt8] {
    let path = String(decoding: head.dropFirst(4).prefix { $0 > 0x20 }, as: UTF8.self)
    let validator = "ETag: \"1\"\r\n"
    if isConditional(head) {
      return Array("HTTP/1.1 304 Not Modified\r\n\(validator)\r\n".utf8)
    }
    let body = """
      <rss version="2.0"><channel><title>Feed \(path)</title><link>http://example.org\(path)</link><item>\
      <title>The article of \(path)</title><link>http://example.org\(path)/1</link><guid>\(path)/1</guid>\
      <pubDate>Wed, 25 Nov 2026 12:00:00 GMT</pubDate><description>A few words about what has happened, \
      as they are in many feeds.</description></item></channel></rss>
      """
    return Array(
      """
      HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\nContent-Length: \(body.utf8.count)\r\n\(validator)\r\n\(body)
      """.utf8)
  }
}

/// Answers requests for small feeds on an inherited socket.
struct PublishCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "publish", shouldDisplay: false)

  @Option var socket: Int32
  @Option(help: "The time until an answer, in milliseconds.") var delay = 0

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    try MemoryPublisher(delay: .milliseconds(delay)).serve(socket)
  }
}
