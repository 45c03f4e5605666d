import TextOutput

/// Which region a feed leaves when it is put into another.
struct RegionChange: Equatable {
  /// The region that it leaves; nil where it was in none.
  let left: String?

  /// Decides.
  ///
  /// - Parameters:
  ///   - regions: Those that the feed is in.
  ///   - origin: The one that the user says that it leaves; nil for the only one.
  ///   - target: The one that it goes to.
  ///   - feed: Its address, for people.
  /// - Throws: ``CommandFailure`` with status 64 where it could leave several, 66 where it is not in `origin`, and 64
  ///   where it would not move.
  init(from regions: [String], leaving origin: String?, to target: String, feed: String) throws {
    let names = regions.map { printable($0) }.joined(separator: ", ")
    if let origin {
      guard regions.contains(origin) else {
        let places = regions.isEmpty ? "in no region" : "in \(names)"
        throw CommandFailure(.noInput, "\(feed): not in region \(printable(origin)); it is \(places)")
      }
      guard origin != target else {
        throw CommandFailure(.usage, "\(feed): --from and the region that it goes to are the same")
      }
      left = origin
      return
    }
    let others = regions.filter { $0 != target }
    guard regions.isEmpty || !others.isEmpty else {
      throw CommandFailure(.usage, "\(feed): it is in \(printable(target)) already")
    }
    guard others.count < 2 else {
      throw CommandFailure(.usage, "\(feed): it is in \(names); say with --from which one it leaves")
    }
    left = others.first
  }
}
