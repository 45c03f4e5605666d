import Foundation
import ManagedContext
import NewsModel
import TestSupport
import Testing
import WebAddress

@testable import FeedImport

@Suite struct ImportFeedsTests {
  private let store: NewsStore

  init() throws {
    store = try NewsStore()
  }

  /// Adds addresses to regions, and returns the feeds of an import of these regions, by their addresses.
  private func feeds(_ regions: [(name: String, urls: [String])]) async throws -> (
    all: [String], parts: [[String]], names: [[String]]
  ) {
    try await store.perform { (source) throws(StoreError) in
      for region in regions {
        _ = try source.add(region.urls.map { WebAddress($0) }, toRegionNamed: region.name)
      }
      try source.context.save()
      let ids = try regions.map { (region) throws(StoreError) in try source.region(named: region.name)?.id }
      let feeds = try ImportFeeds(of: ids.compactMap(\.self), dueAt: nil, in: source.context)
      #expect(feeds.count == Array(feeds.all).count)
      func urls(_ ids: [ManagedObjectID]) throws(StoreError) -> [String] {
        try source.schedules(ids).map(\.url.text)
      }
      let all = try feeds.all.map { (feed) throws(StoreError) in try urls([feed])[0] }
      return (
        all, try feeds.parts.map { (part) throws(StoreError) in try urls(part) },
        feeds.all.map(feeds.regionNames(of:))
      )
    }
  }

  @Test func `each feed is listed once, in the order of the regions and of the store`() async throws {
    try await store.add(["http://a.example/", "http://b.example/", "http://c.example/"])
    let feeds = try await feeds([
      ("second", ["http://c.example/", "http://b.example/"]),
      ("world", ["file:notes", "http://d.example/"]),
    ])
    let letters = ["b", "c", "a", "d"].map { "http://\($0).example/" }
    #expect(feeds.all == letters)
    #expect(feeds.parts == [Array(letters[0..<2]), Array(letters[2..<4])])
    #expect(feeds.names == [["second", "world"], ["second", "world"], ["world"], ["world"]])
  }

  @Test func `feeds of articles from files are left out`() async throws {
    #expect(try await feeds([("world", ["file:notes", "file:///tmp/a.xml"])]).all.isEmpty)
  }

  @Test func `a region with more feeds than are read together is read completely`() async throws {
    let urls = (0..<9000).map { "http://example.org/\($0)" }
    try await store.add(urls.filter { $0.hasSuffix("7") })
    try await store.perform { (source) throws(StoreError) in
      _ = try source.add(urls.map { WebAddress($0) }, toRegionNamed: "large")
    }
    let members = try await store.perform { (source) throws(StoreError) in
      try source.members(of: try source.region(named: "large")?.id ?? .none)
    }
    let expected = try await store.perform { (source) throws(StoreError) in try source.feeds().map(\.id) }
    #expect(Array(members) == expected)
  }

  private static func id(_ key: Int64) -> ManagedObjectID {
    ManagedObjectID(entity: NewsModel.Place.feed, store: .none, key: key)
  }

  @Test func `notes keep the value of each feed, however many values there are`() {
    var notes = FeedNotes<Int>()
    #expect(notes.isEmpty && notes[Self.id(1)] == nil)
    for key in 0..<2000 { notes.set(key % 700, for: Self.id(Int64(key))) }
    notes.set(-1, for: Self.id(5))
    #expect(notes.count == 2000 && notes[Self.id(5)] == -1 && notes[Self.id(2000)] == nil)
    #expect((6..<2000).allSatisfy { notes[Self.id(Int64($0))] == $0 % 700 })
    #expect(zip(notes.feeds, notes.values).allSatisfy { notes[$0] == $1 })
  }
}
