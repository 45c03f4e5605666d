import Synchronization
import Threading

/// A number that distinguishes a store from other stores in this process. The IDs of its objects contain it.
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

  /// Returns a file's number, which is the same for every path to it.
  public static func ofFile(device: UInt64, inode: UInt64) -> StoreNumber {
    shared(Identity(high: device, low: inode, isFile: true))
  }

  /// Returns the number of a store on a server, which is the same for every address of the store.
  ///
  /// - Parameters:
  ///   - high: The first half of the 128 bits that identify the store.
  ///   - low: The second half.
  public static func ofServer(_ high: UInt64, _ low: UInt64) -> StoreNumber {
    shared(Identity(high: high, low: low, isFile: false))
  }

  private static func shared(_ identity: Identity) -> StoreNumber {
    known.withLock { known in
      if let number = known[identity] { return number }
      let number = unique()
      known[identity] = number
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

private struct Identity: Hashable {
  let high: UInt64
  let low: UInt64
  let isFile: Bool
}

/// Numbers for the stores opened so far.
private let known = Locked<[Identity: StoreNumber]>([:])
