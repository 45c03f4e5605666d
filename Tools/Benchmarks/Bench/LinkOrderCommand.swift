import ArgumentParser
import Corpus
import Foundation

/// Writes the list of the functions that imports call. The linker places them together.
///
/// The kernel maps 64 KiB of a program around each page that is used. Of functions in the order of their files, imports
/// then use two thirds of the program. The list may be outdated: functions that it lacks are placed after it, and names that no
/// longer exist have no effect.
struct LinkOrderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "link-order", abstract: "Lists the functions that imports call, for the linker.")

  @OptionGroup var corpus: CorpusOptions
  @Option(help: "The newsimport binary.") var program = ".build/release/newsimport"
  @Option(help: "The file of the list.") var file = "Tools/Link/order.txt"

  func run() throws {
    let work = corpus.folder + "/work"
    let profiles = work + "/profiles"
    try FileManager.default.createDirectory(atPath: profiles, withIntermediateDirectories: true)
    let stripped = work + "/newsimport-stripped"
    try ChildProcess.copyWithoutDebugInformation(program, to: stripped, output: work + "/output")
    let whole = WholeImport(
      corpus: try corpus.make(), program: stripped,
      wrapper: ["valgrind", "--tool=callgrind", "--demangle=no", "--callgrind-out-file=\(profiles)/%p"],
      listeners: try Listeners(), work: work, base: nil)
    try whole.prepare()
    for phase in ImportPhase.allCases { _ = try whole.run(phase) }
    let called = try calledFunctions(in: profiles)
    let names = try functions(of: stripped, work).intersection(called).sorted()
    try Data((names.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: file))
    try FileManager.default.removeItem(atPath: work)
    print("\(file): \(names.count) functions")
  }

  /// Returns the names in callgrind's lines `fn=(12) name` and `cfn=(12) name`. A recursion is counted as `name'2`.
  private func calledFunctions(in folder: String) throws -> Set<String> {
    var names: Set<String> = []
    for profile in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let text = try String(contentsOfFile: folder + "/" + profile, encoding: .utf8)
      for line in text.split(separator: "\n") where line.hasPrefix("fn=(") || line.hasPrefix("cfn=(") {
        guard let name = line.split(separator: " ", maxSplits: 1).dropFirst().first else { continue }
        names.insert(String(name.prefix { $0 != "'" }))
      }
    }
    return names
  }

  /// Returns the names of all functions of a program.
  private func functions(of program: String, _ work: String) throws -> Set<String> {
    let lines = try ChildProcess.run(["nm", program], output: work + "/symbols").text.split(separator: "\n")
    return Set(
      lines.compactMap { line in
        let fields = line.split(separator: " ", maxSplits: 2)
        return fields.count == 3 && "tTwW".contains(fields[1]) ? String(fields[2]) : nil
      })
  }
}
