import Glibc
import LoopbackServer
import TestSupport
import Threading

/// One publisher: a server that answers slowly, or rejects everything for an hour.
final class Publisher: Sendable {
  private struct Journal: Sendable {
    var round = 0
    var requests: [String: Int] = [:]
    var rejects = false
    /// When the next answer arrives; nil if at once.
    var pace: Pace?
  }

  /// The pace of a slow answer. It is not so slow that it would be given up.
  struct Pace: Sendable {
    let middle = Gate()
    let end = Gate()
  }

  let server: LoopbackHTTPServer
  private let journal: Locked<Journal>
  let feeds: Int
  private let target: String?

  /// - Parameters:
  ///   - feeds: The number of feeds. If there is a target, the first one redirects there.
  ///   - target: The address of another publisher; nil for none.
  init(feeds: Int, target: String?) throws {
    let journal = Locked(Journal())
    (self.journal, self.feeds, self.target) = (journal, feeds, target)
    let target = target ?? ""
    server = try LoopbackHTTPServer { request in
      let (round, rejects, pace) = journal.withLock { journal in
        journal.requests[request.path, default: 0] += 1
        return (journal.round, journal.rejects, request.path.hasPrefix("/away") ? nil : journal.pace.take())
      }
      // The time for which a kill finds the request unanswered.
      usleep(20_000)
      if rejects { return .status(429, "Too Many Requests", headers: ["Retry-After: 3600"]) }
      if request.path.hasPrefix("/away") { return .redirect(302, to: target + request.path.dropFirst(5)) }
      // A validator without its articles would make them missing for good.
      let validator = "\"\(round)\""
      if request.text(of: "If-None-Match") == validator { return .status(304, "Not Modified") }
      let rest =
        "<channel><title>t</title><item><guid>\(Self.guid(ofRound: round))</guid></item></channel></rss>"
      guard let pace else { return .ok("<rss version=\"2.0\">" + rest, headers: ["ETag: \(validator)"]) }
      let filling = "<!--" + String(repeating: " ", count: 4000) + "-->"
      let length = "<rss version=\"2.0\">".utf8.count + 2 * filling.utf8.count + rest.utf8.count
      let head = "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\nETag: \(validator)\r\n\r\n"
      return ScriptedResponse(
        .send(Array((head + "<rss version=\"2.0\">" + filling).utf8)), .wait(pace.middle),
        .send(Array(filling.utf8)),
        .wait(pace.end), .send(Array(rest.utf8)), keepsConnection: true)
    }
  }

  /// Lets the next answer arrive at a pace.
  func slowDown(to pace: Pace) { journal.withLock { $0.pace = pace } }

  var addresses: [String] {
    (0..<feeds).map { $0 == 0 && target != nil ? server.url("/away/\(server.port)") : server.url("/\($0)") }
  }

  /// Begins a round, in which each feed has a new article.
  ///
  /// - Parameter rejects: True to reject all requests, for an hour.
  func begin(round: Int, rejects: Bool) {
    journal.withLock { $0 = Journal(round: round, rejects: rejects) }
  }

  static func guid(ofRound round: Int) -> String { "round-\(round)" }

  var requests: [String: Int] { journal.withLock { $0.requests } }
}
