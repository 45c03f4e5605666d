import Foundation
import ManagedContext

let usage = """
  usage: notes add TITLE [TEXT [TAG...]]
         notes list [TAG]
         notes search WORD...
         notes show NUMBER
         notes edit NUMBER TEXT
         notes tag NUMBER TAG...
         notes tags
         notes delete NUMBER
         notes import FILE
         notes watch
  The notes are in notes.sqlite, or in the file that the variable NOTES names.
  """

/// Prints a line at once, so that a program at the other end of a pipe sees it.
func write(_ line: String) {
  print(line)
  fflush(nil)
}

func number(_ text: String) throws -> Int64 {
  guard let number = Int64(text) else { throw Mistake("\(text) is not a number") }
  return number
}

@MainActor
func run(_ command: String, _ words: [String], _ notebook: Notebook) async throws {
  switch (command, words.count) {
  case ("add", 1...):
    let text = words.count > 1 ? words[1] : ""
    write("added \(try await notebook.add(title: words[0], text: text, tags: Array(words.dropFirst(2))))")
  case ("list", 0): try notebook.notes().forEach { write($0.line) }
  case ("list", 1):
    try notebook.notes(where: .to(some: \.tags, where: \Tag.name == words[0])).forEach { write($0.line) }
  case ("search", 1...): try notebook.notes(containing: words).forEach { write($0.line) }
  case ("show", 1):
    let note = try notebook.note(number(words[0]))
    write(note.line + "\n" + note.text)
  case ("edit", 2): try await notebook.edit(number(words[0]), text: words[1])
  case ("tag", 2...): try await notebook.tag(number(words[0]), Array(words.dropFirst()))
  case ("tags", 0): try notebook.tags().forEach { write("#\($0.name) \($0.count)") }
  case ("delete", 1): try await notebook.delete(number(words[0]))
  case ("import", 1): write("imported \(try await importNotes(of: words[0], into: notebook.root)) notes")
  case ("watch", 0): try await notebook.watch(write)
  default: throw Mistake(usage)
  }
}

let arguments = Array(CommandLine.arguments.dropFirst())
do {
  let notebook = try Notebook(path: ProcessInfo.processInfo.environment["NOTES"] ?? "notes.sqlite")
  // Waits for saves that are still on their way.
  defer { notebook.root.close() }
  try await run(arguments.first ?? "", Array(arguments.dropFirst()), notebook)
} catch {
  FileHandle.standardError.write(Data("notes: \(error)\n".utf8))
  exit(1)
}
