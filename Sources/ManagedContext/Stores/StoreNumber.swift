import Synchronization
import Threading

/// A number that distinguishes a store from the others that this process opens. The IDs of its objects contain it.
///
/// A number is valid only in this process and is never stored.
@frozen public struct StoreNumber: Sendable, Hashable {
  @usableFromInline let rawValue: UInt32

  @usableFromInline init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The number for objects that were never saved.
  public static let none = StoreNumber(rawValue: 0)

  /// Returns a number that no other store has.
  public static func unique() -> StoreNumber {
    StoreNumber(rawValue: numbers.add(1, ordering: .relaxed).newValue)
  }

  /// Returns the number of a file, which is the same for every path to it.
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
  /// Compares the order in which the stores were first opened.
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

/// The numbers of the files opened so far.
private let files = Locked<[File: StoreNumber]>([:])
