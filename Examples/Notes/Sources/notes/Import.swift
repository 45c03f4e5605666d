import Foundation
import ManagedContext

/// Imports a file's notes in the background, in a context of its own. Each line is a note: its title, text and
/// tags, separated by tabs.
///
/// - Returns: The number of imported notes.
func importNotes(of file: String, into root: RootContext) async throws -> Int {
  let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
  // A lower priority than the main queue's.
  let worker = BackgroundContext(
    parent: root, name: "import", niceness: 10, mergePolicy: .objectTrumps, author: "import")
  for start in stride(from: 0, to: lines.count, by: 200) {
    let part = lines[start..<min(start + 200, lines.count)]
    try await worker.perform { context in
      for line in part {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        let note = context.insert(Note.self)
        note.title = fields[0]
        note.text = fields.count > 1 ? fields[1] : ""
        try context.add(fields.dropFirst(2), to: note)
      }
    }
    // A part is saved as a whole or not at all.
    try await worker.save()
  }
  return lines.count
}
