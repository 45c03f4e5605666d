import Foundation
import Glibc
import ManagedContext
import NewsModel
import SQLiteStore
import TextSearch

/// A store in a file.
extension SQLiteStore: NewsStore {
  var statistics: StatisticsQuery {
    StatisticsQuery(.sqlite) { (text, visit) throws(StoreError) in try self.query(text, visit: visit) }
  }

  /// The largest file that is checked in a short time, in bytes.
  private static let quicklyChecked = 1_000_000_000

  func quickCheck() throws(StoreError) -> QuickCheck {
    guard try info().bytes <= Self.quicklyChecked else { return QuickCheck() }
    if let damage = try quickDamage() { return QuickCheck(damage: damage) }
    let findings = try contentFindings()
    return QuickCheck(damage: findings.damage.first, missingIndexes: findings.missingIndexes)
  }

  func columns(ofView name: String) throws(StoreError) -> [String] {
    var names: [String] = []
    try query("SELECT * FROM \(name) LIMIT 0", begin: { names = $0 }, visit: { _ in false })
    return names
  }

  func size() throws(StoreError) -> StoreSize {
    let info = try info()
    return StoreSize(
      version: info.version, bytes: info.bytes, logBytes: info.logBytes, freeBytes: info.freeBytes)
  }

  func wordIndex(_ source: SearchSource) throws(StoreError) -> any WordIndex {
    try SearchIndex(of: self, source)
  }

  /// Locks a byte in the lock file beside the store: with whole-file locks, one slow program would stop the
  /// others.
  func lock(_ place: UInt32) throws -> (any StoreLock)? {
    do throws(ByteLock.Failure) {
      return try ByteLock(Int64(place), ofStore: name)
    } catch {
      throw CommandFailure(.cannotCreate, error.text(ofStore: name))
    }
  }

  func heir(ofLock place: UInt32) -> Int32? {
    let holders = ByteLock.holders(of: Int64(place), ofStore: name)
    guard holders.allSatisfy(\.isInherited) else { return nil }
    // A program leads its process group. Its children also have the lock, and may have smaller process IDs.
    return (holders.first { getpgid($0.process) == $0.process } ?? holders.first)?.process
  }
}

extension ByteLock: StoreLock {}
