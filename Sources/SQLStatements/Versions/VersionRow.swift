public import Foundation
public import ManagedContext

/// A row of a version table, without values.
public struct VersionRow: Sendable {
  public let key: Int64
  public let number: Int64
  public var change: ObjectVersion.Change
  let token: Int64?
  let merged: Int

  /// The last second of the year 9999.
  private static let lastDate: TimeInterval = 253_402_300_799

  /// Reads a row that begins with ``VersionTable/header``. Other programs may have written any value.
  ///
  /// - Parameter known: Cache: the previous row's attributes, often the same.
  init(_ row: some SQLRow, _ known: inout ChangedAttributes) {
    row.withText(3) { known.read($0) }
    key = row.integer(0) ?? 0
    number = row.integer(1) ?? 0
    change = ObjectVersion.Change(
      attributes: known.attributes,
      date: Date(timeIntervalSince1970: min(max(0, row.real(2) ?? 0).rounded(.down), Self.lastDate)),
      note: row.integer(4).map(Int.init))
    token = row.integer(5)
    merged = Int(row.integer(6) ?? 0)
  }

  /// True for values that came after newer ones: no transaction ended with them; see ``EarlierVersions``.
  var wasNeverCurrent: Bool { token == 0 }

  public var version: ObjectVersion {
    ObjectVersion(number: Int(number), change: change, transaction: token, mergedChanges: merged)
  }
}

/// The attributes in a JSON array of names, as the trigger writes it. An unchanged array is not decoded
/// again.
struct ChangedAttributes {
  private(set) var attributes = AttributeSet()
  private var names: [UInt8] = []
  private let owner: EntityDescription

  init(of table: VersionTable) { owner = table.owner }

  /// - Parameter text: The array; nil if it is missing.
  mutating func read(_ text: Span<UInt8>?) {
    guard let text else {
      (names, attributes) = ([], [])
      return
    }
    if text.count == names.count, text.indices.allSatisfy({ text[$0] == names[$0] }) { return }
    names = text.indices.map { text[$0] }
    attributes = owner.attributes(named: names)
  }
}

/// Versions by object key, in the order in which they were read.
public struct VersionsByObject: Sendable {
  private var known: ChangedAttributes
  public private(set) var rows: [Int64: [VersionRow]] = [:]

  public init(of table: VersionTable) { known = ChangedAttributes(of: table) }

  /// Adds a row with its object key after the columns in ``VersionTable/header``.
  public mutating func add(_ row: some SQLRow) {
    guard let object = row.integer(VersionTable.headerCount) else { return }
    rows[object, default: []].append(VersionRow(row, &known))
  }
}

extension VersionTable {
  /// Returns a version's change as stored, and the version into which it is merged; nil if not merged.
  ///
  /// - Parameters:
  ///   - row: The version.
  ///   - earlier: The versions before it, newest first.
  ///   - date: The transaction's time; nil keeps the time at which another program changed the object.
  public func completed(
    _ row: VersionRow, after earlier: [VersionRow], at date: Date?
  ) -> (change: ObjectVersion.Change, target: VersionRow?) {
    var change = row.change
    // A clock that is set back must not change the version order.
    let time = max(date ?? change.date, earlier.first?.change.date ?? .distantPast)
    change.date = Date(timeIntervalSince1970: time.timeIntervalSince1970.rounded(.down))
    return (change, owner.history.isMerged(change, earlier.map(\.change)) ? earlier.first : nil)
  }
}
