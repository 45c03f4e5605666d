import CFaultVFS
import Foundation
import TestSupport

/// The state of a folder's files after a power failure: rebuilt from the files before a run and a part of its record.
///
/// A disk may have kept more than was synced, in any selection. The models are the extremes and random selections.
enum PowerLossModel: String, CaseIterable, Sendable {
  /// Everything was written in time.
  case nothingLost = "nothing lost"
  /// Contents and names that were not synced are lost.
  case unsyncedLost = "everything unsynced lost"
  /// Files that were created or deleted since the last sync of their folder are as before.
  case namesLost = "only names lost"
  /// Writes and truncations that were not synced are lost, and all names kept.
  case contentsLost = "only contents lost"
  /// Each write that was not synced is lost or kept at random.
  case halfLost = "a random half lost"
  /// Each sector of the writes that were not synced is lost or kept at random.
  case sectorsTorn = "sectors torn"

  var losesNames: Bool { self == .unsyncedLost || self == .namesLost }
}

/// A disk on which a record is replayed.
struct ReplayedDisk {
  private static let sector = 512

  private struct File {
    /// The contents with all changes.
    var current: Data
    /// The contents as of the last sync.
    var synced: Data
    /// The changes since then.
    var unsynced: [ChangeRecord.Change] = []
  }

  /// The files by number: a name may belong to one file after another.
  private var files: [File] = []
  /// The names with all changes, and as of the last sync of the folder.
  private var names: [String: Int] = [:]
  private var syncedNames: [String: Int] = [:]

  /// Reads the files of a folder: all of them are on the disk.
  init(folder: String) throws {
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: folder + "/" + name, isDirectory: &isFolder),
        !isFolder.boolValue
      else { continue }
      let data = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
      names[name] = files.count
      files.append(File(current: data, synced: data))
    }
    syncedNames = names
  }

  mutating func apply(_ change: ChangeRecord.Change) {
    let name = (change.path as NSString).lastPathComponent
    switch change.kind {
    case CHANGE_CREATE: _ = number(of: name)
    case CHANGE_DELETE: names[name] = nil
    case CHANGE_SYNC_FOLDER: syncedNames = names
    case CHANGE_SYNC:
      let file = number(of: name)
      files[file].synced = files[file].current
      files[file].unsynced = []
    default:
      let file = number(of: name)
      Self.make(change, in: &files[file].current)
      files[file].unsynced.append(change)
    }
  }

  /// A file that the program created before SQLite opened it has no change of its own in the record.
  private mutating func number(of name: String) -> Int {
    if let number = names[name] { return number }
    names[name] = files.count
    files.append(File(current: Data(), synced: Data()))
    return files.count - 1
  }

  /// Writes the files that a power failure leaves at this moment.
  func write(to folder: TemporaryFolder, _ model: PowerLossModel, _ random: inout some RandomNumberGenerator)
    throws
  {
    for (name, number) in (model.losesNames ? syncedNames : names).sorted(by: { $0.key < $1.key }) {
      _ = try folder.write(name, contents(of: files[number], model, &random))
    }
  }

  private func contents(
    of file: File, _ model: PowerLossModel, _ random: inout some RandomNumberGenerator
  ) -> Data {
    switch model {
    case .nothingLost, .namesLost: return file.current
    case .unsyncedLost, .contentsLost: return file.synced
    case .halfLost:
      return file.unsynced.reduce(into: file.synced) { data, change in
        if Bool.random(using: &random) { Self.make(change, in: &data) }
      }
    case .sectorsTorn:
      return file.unsynced.reduce(into: file.synced) { data, change in
        guard change.kind == CHANGE_WRITE else { return Self.make(change, in: &data) }
        for sector in Self.sectors(of: change) where Bool.random(using: &random) {
          Self.make(sector, in: &data)
        }
      }
    }
  }

  private static func sectors(of change: ChangeRecord.Change) -> [ChangeRecord.Change] {
    stride(from: 0, to: change.data.count, by: sector).map { start in
      ChangeRecord.Change(
        kind: CHANGE_WRITE, path: change.path, offset: change.offset + start,
        data: change.data[start..<min(start + sector, change.data.count)])
    }
  }

  private static func make(_ change: ChangeRecord.Change, in data: inout Data) {
    let end = change.kind == CHANGE_TRUNCATE ? change.offset : change.offset + change.data.count
    if end > data.count { data.append(Data(count: end - data.count)) }
    if change.kind == CHANGE_TRUNCATE {
      data.removeSubrange(end...)
    } else {
      data.replaceSubrange(change.offset..<end, with: change.data)
    }
  }
}
