import HTTPDownload

/// The bytes that wait for a worker, and the paused transfers that can take more.
///
/// Transfers are resumed together when little is waiting: each wake-up makes the download thread look at all.
struct WorkerBacklog: Sendable {
  /// The byte count above which each transfer pauses until its data is parsed.
  static let crowdedAbove = 2 << 20
  /// The byte count below which transfers are resumed.
  static let resumesBelow = 512 << 10

  private(set) var bytes = 0
  private var resumable: [TransferID] = []

  /// Counts bytes that have arrived.
  ///
  /// - Returns: True if too much is waiting.
  mutating func add(_ count: Int) -> Bool {
    bytes += count
    return bytes > Self.crowdedAbove
  }

  /// Counts bytes that were parsed.
  ///
  /// - Parameter resumable: The paused transfer for these bytes, if it can take more; nil otherwise.
  /// - Returns: The transfers to resume now.
  mutating func remove(_ count: Int, resumable id: TransferID?) -> [TransferID] {
    bytes -= count
    if let id { resumable.append(id) }
    guard bytes < Self.resumesBelow else { return [] }
    defer { resumable.removeAll(keepingCapacity: true) }
    return resumable
  }
}
