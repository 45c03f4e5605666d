import ManagedContext
import NewsModel
import Testing

@testable import NewsCommand

@MainActor
@Suite struct FeedDeletionTests {
  private func parts(_ articles: [Int]) -> [[Int]] {
    let losses = articles.enumerated().map { place, count in
      FeedDeletion.Loss(
        id: ManagedObjectID(entity: NewsModel.Place.feed, store: .none, key: Int64(place + 1)),
        address: "\(place)", articles: count, starred: 0, regions: [])
    }
    let parts = FeedDeletion.parts(of: losses)
    #expect(parts.joined().map(\.id) == losses.map(\.id), "each feed is in one part, in the same order")
    return parts.map { $0.map(\.articles) }
  }

  @Test func `feeds with few articles are deleted together, and one with many alone`() {
    #expect(parts([]) == [])
    #expect(parts([3]) == [[3]] && parts([50_000]) == [[50_000]])
    #expect(parts([3, 50_000, 4, 5]) == [[3], [50_000], [4, 5]])
    #expect(parts([1000, 999, 1, 1999, 1]) == [[1000, 999], [1], [1999], [1]])
    #expect(parts(Array(repeating: 0, count: 1001)).map(\.count) == [500, 500, 1])
  }
}
