import TextOutput

/// The region that a feed leaves when it moves to another.
struct RegionChange: Equatable {
  /// The region that the feed leaves; nil if it was in no region.
  let left: String?

  /// Determines the region to leave.
  ///
  /// - Parameters:
  ///   - regions: The feed's regions.
  ///   - origin: The region that the user named; nil for the only one.
  ///   - target: The region that the feed moves to.
  ///   - feed: The feed's address, for messages.
  /// - Throws: ``CommandFailure`` with status 64 if several regions could be meant, or if the feed would not
  ///   move; 66 if the feed is not in `origin`.
  init(from regions: [String], leaving origin: String?, to target: String, feed: String) throws {
    let names = regions.map { printable($0) }.joined(separator: ", ")
    if let origin {
      guard regions.contains(origin) else {
        let places = regions.isEmpty ? "in no region" : "in \(names)"
        throw CommandFailure(.noInput, "\(feed): not in region \(printable(origin)); it is \(places)")
      }
      guard origin != target else {
        throw CommandFailure(.usage, "\(feed): --from and the new region are the same")
      }
      left = origin
      return
    }
    let others = regions.filter { $0 != target }
    guard regions.isEmpty || !others.isEmpty else {
      throw CommandFailure(.usage, "\(feed): it is already in \(printable(target))")
    }
    guard others.count < 2 else {
      throw CommandFailure(.usage, "\(feed): it is in \(names); name the one that it leaves with --from")
    }
    left = others.first
  }
}
