import Synchronization
import Threading

/// Tells a store from all others that this process opens: what the IDs of its objects have in common.
///
/// A number means something in this process alone, and is never stored.
@frozen public struct StoreNumber: Sendable, Hashable {
  @usableFromInline let rawValue: UInt32

  @usableFromInline init(rawValue: UInt32) { self.rawValue = rawValue }

  /// No store: that of an object that was never saved.
  public static let none = StoreNumber(rawValue: 0)

  /// A number that no other store has.
  public static func unique() -> StoreNumber {
    StoreNumber(rawValue: numbers.add(1, ordering: .relaxed).newValue)
  }

  /// The number of a file: the same for everybody who opens it, by whatever path.
  public static func ofFile(device: UInt64, inode: UInt64) -> StoreNumber {
    let file = File(device: device, inode: inode)
    return files.withLock { files in
      if let number = files[file] { return number }
      let number = unique()
      files[file] = number
      return number
    }
  }
}

extension StoreNumber: Comparable {
  /// The order in which the stores were opened first.
  public static func < (one: StoreNumber, other: StoreNumber) -> Bool { one.rawValue < other.rawValue }
}

extension StoreNumber: CustomStringConvertible {
  public var description: String { "\(rawValue)" }
}

private let numbers = Atomic<UInt32>(0)

private struct File: Hashable {
  let device: UInt64
  let inode: UInt64
}

/// Those that were opened so far.
private let files = Locked<[File: StoreNumber]>([:])
