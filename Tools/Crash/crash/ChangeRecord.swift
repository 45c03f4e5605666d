import CFaultVFS
import Foundation

/// The changes that a run made to its files, in order, as the VFS recorded them.
struct ChangeRecord: Sendable {
  struct Change: Sendable {
    let kind: fault_change_kind
    let path: String
    /// The offset of a write; the new size for a truncation.
    let offset: Int
    let data: Data
  }

  let changes: [Change]

  init(path: String) throws {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    var changes: [Change] = []
    var position = 0
    while position + MemoryLayout<fault_change>.size <= bytes.count {
      let head = bytes[position...].withUnsafeBytes { $0.loadUnaligned(as: fault_change.self) }
      position += MemoryLayout<fault_change>.size
      let name = bytes[position..<position + Int(head.name_length)]
      position += Int(head.name_length)
      let data = bytes[position..<position + Int(head.length)]
      position += Int(head.length)
      changes.append(
        Change(
          kind: fault_change_kind(head.kind), path: String(decoding: name, as: UTF8.self),
          offset: Int(head.offset), data: Data(data)))
    }
    self.changes = changes
  }
}
