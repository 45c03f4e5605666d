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

  /// The size of a file that is checked in a short time, in bytes.
  private static let quicklyChecked = 1_000_000_000

  func quickCheck() throws(StoreError) -> QuickCheck {
    guard try info().bytes <= Self.quicklyChecked else { return QuickCheck() }
    if let damage = try quickDamage() { return QuickCheck(damage: damage) }
    let findings = try contentFindings()
    return QuickCheck(damage: findings.damage.first, missingIndexes: findings.missingIndexes)
  }

  /// - Parameter cause: SQLite's message, which is all that it says of an error.
  func hint(_ cause: String, about statement: String) throws(StoreError) -> String {
    let views = ["articles", "feeds", "regions", "fetches", "versions"]
    let words = cause.components(separatedBy: ": ")
    guard let name = words.last?.split(separator: ".").last.map(String.init), words.count == 2 else {
      return ""
    }
    switch words[0] {
    case "no such table":
      return "; " + (suggestion(for: name, among: views) ?? "the views are \(views.joined(separator: ", "))")
    case "no such column":
      let text = statement.lowercased()
      var columns: [String] = []
      for view in views where text.contains(view) {
        try query("SELECT * FROM \(view) LIMIT 0") {
          columns += $0
        } visit: { _ in
          false
        }
      }
      guard !columns.isEmpty else { return "" }
      let all = "the columns are \(columns.joined(separator: ", "))"
      return "; " + (suggestion(for: name, among: columns) ?? all)
    default: return ""
    }
  }

  func wordIndex(_ source: SearchSource) throws(StoreError) -> any WordIndex {
    try SearchIndex(of: self, source)
  }

  /// Locks a byte of the file of locks beside the store: locks of whole files would let one slow program stop the others.
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
    // A program leads its process group; its own children have the lock, too, and may have smaller numbers.
    return (holders.first { getpgid($0.process) == $0.process } ?? holders.first)?.process
  }
}

extension ByteLock: StoreLock {}
