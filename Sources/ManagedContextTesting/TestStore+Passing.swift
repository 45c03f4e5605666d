public import ManagedContext

public import struct Foundation.Date

/// The calls that are only passed on, and the history, which can fail.
extension TestStore {
  public func beginBulkLoad() { store.beginBulkLoad() }

  public func endBulkLoad() { store.endBulkLoad() }

  public func beginLifeSign(_ number: Int64) throws(StoreError) -> LifeSign {
    try store.beginLifeSign(number)
  }

  public func lifeSigns(among numbers: Set<Int64>, isPatient: Bool) throws(StoreError) -> Set<Int64> {
    try store.lifeSigns(among: numbers, isPatient: isPatient)
  }

  public func stopWaiting() { store.stopWaiting() }

  public func observeRemoteChanges(
    _ body: @escaping @Sendable ([HistoryTransaction]) -> Void
  ) throws(StoreError) -> ChangeObservation? {
    try store.observeRemoteChanges(body)
  }

  // MARK: History

  public func history(after token: HistoryToken?) throws(StoreError) -> [HistoryTransaction] {
    try history().history(after: token)
  }

  public func followedHistory(
    after token: HistoryToken?, limit: Int
  ) throws(StoreError) -> HistoryPart {
    try history().followedHistory(after: token, limit: limit)
  }

  public func currentHistoryToken() throws(StoreError) -> HistoryToken? {
    try history().currentHistoryToken()
  }

  public func consumers() throws(StoreError) -> [HistoryConsumer] { try history().consumers() }

  @discardableResult
  public func acknowledge(
    _ token: HistoryToken, position: Int, by name: String, at date: Date, force: Bool
  ) throws(StoreError) -> HistoryConsumer {
    try history().acknowledge(token, position: position, by: name, at: date, force: force)
  }

  public func touchConsumer(named name: String, at date: Date) throws(StoreError) {
    try history().touchConsumer(named: name, at: date)
  }

  public func removeConsumer(named name: String) throws(StoreError) {
    try history().removeConsumer(named: name)
  }

  public func purgeHistory(before token: HistoryToken) throws(StoreError) {
    try history().purgeHistory(before: token)
  }

  public func versions(of id: ManagedObjectID) throws(StoreError) -> [ObjectVersion] {
    try history().versions(of: id)
  }

  public func values(
    ofVersion number: Int, of id: ManagedObjectID
  ) throws(StoreError) -> [AttributeValue] {
    try history().values(ofVersion: number, of: id)
  }

  public func replacedValues(
    of ids: [ManagedObjectID], in transaction: Int64
  ) throws(StoreError) -> [ManagedObjectID: ReplacedValues] {
    try history().replacedValues(of: ids, in: transaction)
  }

  /// Returns the store for a use of its history, unless that is to fail.
  private func history() throws(StoreError) -> any PersistentStore {
    try check(StoreCall(.history))
    return store
  }
}
