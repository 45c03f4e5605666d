import ManagedContext
import NewsModel
import Testing
import WebAddress

@testable import FeedImport

@Suite struct RedirectTargetsTests {
  private static func target(_ key: Int64, _ publisher: String) -> Claims.Wanted {
    let feed = ManagedObjectID(entity: NewsModel.Place.feed, store: .none, key: key)
    return Claims.Wanted(feed, at: WebAddress("http://\(publisher)/"))
  }

  @Test func `each redirect is asked about once, unless its feed has ended`() {
    var targets = RedirectTargets()
    let (a, b) = (Self.target(1, "a"), Self.target(2, "a"))
    targets.note(.asked, of: a)
    targets.note(.asked, of: b)
    #expect(targets.status(of: a) == .asked && targets.status(of: Self.target(3, "a")) == nil)
    #expect(targets.end(b.feed).isEmpty && targets.status(of: b) == nil)
    #expect(targets.takeAsked() == [a])
    #expect(targets.takeAsked().isEmpty && targets.status(of: a) == .asked)
  }

  @Test func `a feed that has ended returns the publishers that were held for it`() {
    var targets = RedirectTargets()
    let places = ["a", "b", "c"].map { Self.target(1, $0) }
    targets.note(.held, of: places[0])
    targets.note(.refused, of: places[1])
    targets.note(.asked, of: places[2])
    targets.note(.held, of: Self.target(2, "a"))
    #expect(places.map(targets.status) == [.held, .refused, .asked])
    #expect(targets.end(places[0].feed) == [places[0].publisher])
    #expect(targets.end(places[0].feed).isEmpty)
    #expect(targets.status(of: Self.target(2, "a")) == .held)
  }
}
