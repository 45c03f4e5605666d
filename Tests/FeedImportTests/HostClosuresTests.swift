import FeedImport
import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite struct HostClosuresTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  private func after(_ seconds: TimeInterval) -> Date { Self.now.addingTimeInterval(seconds) }

  @Test func `one feed that is turned away closes nothing but itself`() {
    var closures = HostClosures()
    closures.note("https://a.example/1", until: after(60))
    closures.note("https://a.example/1", until: after(90))
    #expect(closures.closed("https://a.example/2", at: Self.now) == nil)
  }

  @Test func `two of them close their host as long as both want to be left alone`() {
    var closures = HostClosures()
    closures.note("https://a.example/1", until: after(60))
    closures.note("https://A.example:443/2", until: after(90))
    #expect(closures.closed("https://a.example/3", at: Self.now) == after(60))
    #expect(closures.closed("https://a.example/3", at: after(61)) == nil)
    #expect(closures.closed("https://b.example/3", at: Self.now) == nil)
    #expect(closures.closed("http://a.example/3", at: Self.now) == nil)
    #expect(closures.closed("no address", at: Self.now) == nil)
  }

  @Test func `a pause that a wrong clock made does not count`() {
    var closures = HostClosures()
    closures.note("https://a.example/1", until: after(400 * 86400))
    closures.note("https://a.example/2", until: after(60))
    #expect(closures.closed("https://a.example/3", at: Self.now) == nil)
  }

  @Test func `a server that turns away two feeds gets no request for its others in this run`() async throws {
    let store = try NewsStore()
    let server = try LoopbackHTTPServer { _ in .status(503, "Busy", headers: ["Retry-After: 120"]) }
    defer { server.stop() }
    try await store.add((0..<20).map { server.url("/\($0)") })
    var options = ImportOptions(userAgent: "test")
    options.perHost = 1
    let end = try await FeedImporter(root: store.root, options: options).run(try await store.requests())
    // One more may have begun before the second answer was judged.
    #expect((2...4).contains(server.requests.count))
    #expect(end.notAsked.count == 20 - server.requests.count)
    #expect(try await store.feeds().filter { $0.fetches == 0 }.count == end.notAsked.count)
  }
}
