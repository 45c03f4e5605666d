import Foundation
import TestSupport
import Testing

@Suite struct CompletionTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  private func regions(_ arguments: [String]) async throws -> CommandRun.Result {
    try await complete("positional@0", of: arguments)
  }

  /// Completes the beginning of a word after other words.
  private func complete(_ argument: String, of arguments: [String], _ begun: String = "") async throws
    -> CommandRun.Result
  {
    // The arguments of the scripts: the completed option or argument, then the line with the cursor's word and place.
    let line = ["newsimport"] + arguments + [begun]
    let place = ["\(line.count - 1)", "\(begun.utf8.count)"]
    let commands = arguments.prefix { !$0.hasPrefix("-") }
    return try await newsimport.run(["---completion"] + commands + ["--", argument] + place + line)
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `a shell can parse its completion script`(shell: String) async throws {
    let result = try await newsimport("--generate-completion-script", shell)
    #expect(result.status == 0 && result.err == "")
    #expect(result.out.contains("public-only"))
    #expect(!result.out.contains("newsimport.toml.5"), "hidden commands are not offered")
    guard Shell.has(shell) else { return }
    let script = try newsimport.folder.write("script.\(shell)", result.out.utf8)
    let check = try await Command.run(
      "/usr/bin/env", [shell, shell == "fish" ? "--no-execute" : "-n", script],
      environment: ["HOME": newsimport.folder.path, "PATH": Shell.path])
    #expect(check == .init(status: 0, out: "", err: ""))
  }

  @Test func `every region argument is completed`() async throws {
    struct Completion: Decodable { let custom: [String: String]? }
    struct Argument: Decodable {
      let abstract: String?
      let completionKind: Completion?
    }
    struct Command: Decodable {
      let commandName: String
      let arguments: [Argument]?
      let subcommands: [Command]?
    }
    struct Document: Decodable { let command: Command }
    let dump = try await newsimport("--experimental-dump-help").out
    var commands = [try JSONDecoder().decode(Document.self, from: Data(dump.utf8)).command]
    var count = 0
    while let command = commands.popLast() {
      commands += command.subcommands ?? []
      for argument in command.arguments ?? [] where argument.abstract?.hasPrefix("The region") ?? false {
        count += 1
        #expect(argument.completionKind?.custom != nil, "\(command.commandName)")
      }
    }
    #expect(count > 5)
  }

  @Test func `regions are completed from the store`() async throws {
    _ = try await newsimport("region", "add", "world", "https://a.example/")
    _ = try await newsimport("region", "add", "tech", "https://a.example/")
    #expect(try await regions(["list"]) == .init(status: 0, out: "tech\nworld\n", err: ""))
  }

  @Test func `regions are completed from the store that the line names`() async throws {
    let other = newsimport.folder.file("other.db")
    _ = try await newsimport("region", "add", "art", "https://a.example/", "--store", other)
    #expect(try await regions(["list", "--store", other]).out == "art\n")
    #expect(try await regions(["list", "--store=\(other)"]).out == "art\n")
  }

  @Test(arguments: [
    ("", "a.example/x\nb.example/\n"), ("b", "b.example/\n"), ("https://a", "https://a.example/x\n"),
    ("//b", "//b.example/\n"), ("c", "\n"),
  ]) func `feeds are completed as bash, which ends words at colons, needs it`(begun: String, found: String)
    async throws
  {
    _ = try await newsimport("region", "add", "world", "https://a.example/x", "https://ann:secret@b.example/")
    _ = try await newsimport("feed", "rename", "b.example", "https://b.example/")
    for command in [["explain"], ["feed", "remove"]] {
      let result = try await complete("positional@0", of: command, begun)
      #expect(result == .init(status: 0, out: found, err: ""), "\(command)")
    }
    #expect(try await complete("--feed", of: ["list", "--feed"], begun).out == found)
  }

  @Test func `the names of fields are completed, also after a comma`() async throws {
    #expect(
      try await complete("--fields", of: ["region", "list", "--fields"]).out == "name\nfeeds\nfailing\ngone\n"
    )
    let next = try await complete("--fields", of: ["region", "list", "--fields"], "name,f")
    #expect(next.out == "name,name\nname,feeds\nname,failing\nname,gone\n")
  }

  @Test func `without a store nothing is completed, printed or created`() async throws {
    let result = try await regions(["list"])
    #expect(result.status == 0 && result.err == "")
    #expect(result.out.trimmingCharacters(in: .newlines) == "")
    #expect(!FileManager.default.fileExists(atPath: newsimport.store))
  }
}
