import Foundation
import LoopbackServer
import TestSupport
import Threading

/// Feeds that grow and are edited from round to round, and a server that may fail.
final class ChangingFeeds: Sendable {
  /// The number of articles in a document: the oldest one leaves it in each round.
  private static let window = 12

  private struct State: Sendable {
    var round = 0
    /// The probability of a failure for each request, in percent.
    var failures = 0
    var random = SeededGenerator(seed: 1)
  }

  private let server: LoopbackHTTPServer
  private let state: Locked<State>
  let count: Int

  init(count: Int) throws {
    let state = Locked(State())
    (self.state, self.count) = (state, count)
    server = try LoopbackHTTPServer { request in
      let number = Int(request.path.filter(\.isNumber)) ?? 0
      let (round, failure) = state.withLock { state in
        (
          state.round,
          Int.random(in: 0..<100, using: &state.random) < state.failures
            ? Int.random(in: 0..<4, using: &state.random) : nil
        )
      }
      let tag = "\"\(round)\""
      if request.text(of: "If-None-Match") == tag {
        return .status(304, "Not Modified", headers: ["ETag: \(tag)"])
      }
      let answer = ScriptedResponse.ok(Self.document(number, round: round), headers: ["ETag: \(tag)"])
      switch failure {
      case 0: return .status(500, "Internal Server Error")
      case 1: return answer.cut(after: 300)
      case 2: return ScriptedResponse(.reset)
      case 3: return .ok("<html>not a feed</html>")
      default: return answer
      }
    }
  }

  func stop() { server.stop() }

  var addresses: [String] { (0..<count).map { server.url("/\($0)") } }

  /// Begins a round: all feeds change.
  ///
  /// - Parameter failures: The probability with which a request fails, in percent.
  func begin(round: Int, failures: Int) {
    state.withLock { ($0.round, $0.failures) = (round, failures) }
  }

  /// Lets all requests succeed.
  func recover() { state.withLock { $0.failures = 0 } }

  /// Returns the titles of the articles in the document of a feed, by guid.
  static func articles(_ feed: Int, round: Int) -> [String: String] {
    let numbers = round..<(round + window)
    return Dictionary(
      uniqueKeysWithValues: numbers.map { number in
        // Each article is edited every third round.
        ("\(feed)-\(number)", "Article \(number), edition \((round + number) / 3)")
      })
  }

  private static func document(_ feed: Int, round: Int) -> String {
    let items = articles(feed, round: round).sorted { $0.key < $1.key }.map { guid, title in
      "<item><guid isPermaLink=\"false\">\(guid)</guid><title>\(title)</title><description>\(String(repeating: "text of \(guid) ", count: 20))</description></item>"
    }
    return "<rss version=\"2.0\"><channel><title>Feed \(feed)</title>\(items.joined())</channel></rss>"
  }
}
