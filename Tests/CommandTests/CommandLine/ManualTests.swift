import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import NewsCommand
@testable import NewsConfiguration

@Suite struct ManualTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  /// The text of a page without its markup.
  private func page(_ name: String) async throws -> String {
    let result = try await newsimport("manual", name)
    #expect(result.status == 0 && result.err == "")
    return result.out.replacing("\\-", with: "-").replacing(#/\\f[BIR]/#, with: "").replacing(
      "\\ ", with: " ")
  }

  /// The first words of the lines of `--help` under headings such as "OPTIONS:" and "FEED OPTIONS:".
  private func listed(_ heading: String, in help: String) -> [Substring] {
    var isUnder = false
    return help.split(separator: "\n", omittingEmptySubsequences: false).compactMap { line in
      guard !line.isEmpty, !line.hasSuffix(":") || line.hasPrefix(" ") else {
        isUnder = line.hasSuffix("\(heading):")
        return nil
      }
      return isUnder ? line.firstMatch(of: #/^  (\S.*?)(  |$)/#)?.output.1 : nil
    }
  }

  /// The names in "-q, --quiet <value>".
  private func spellings(_ option: Substring) -> [Substring] {
    option.split(separator: " ").filter { $0.hasPrefix("-") }.map { $0.prefix { $0 != "," } }
  }

  /// The options that a part of a page explains.
  private func terms(in part: Substring) -> Set<Substring> {
    let lines = part.split(separator: "\n")
    return Set(
      zip(lines, lines.dropFirst()).filter { $0.0 == ".TP" }
        .flatMap { spellings($0.1) })
  }

  @Test func `every command states its name, because deriving one costs a millisecond at each start`() {
    func nameless(_ command: any ParsableCommand.Type) -> [String] {
      let own = command.configuration.commandName == nil ? ["\(command)"] : []
      return own + command.configuration.subcommands.flatMap(nameless)
    }
    #expect(nameless(NewsImport.self) == [])
  }

  @Test func `the command's page has every command and option of --help`() async throws {
    let page = try await page("newsimport.1")
    var paths = [[]] as [[String]]
    var count = 0
    while let path = paths.popLast() {
      let help = try await newsimport.run(path + ["--help"]).out
      let commands = listed("SUBCOMMANDS", in: help).map(String.init)
      paths += commands.filter { $0 != "help" }.map { path + [$0] }
      guard commands.isEmpty else { continue }
      count += 1
      let name = "newsimport \(path.joined(separator: " "))"
      #expect(page.contains("\n.SS \"\(name)\"\n"))
      let own = try #require(page.split(separator: ".SS \"\(name)\"\n").last?.split(separator: "\n.S").first)
      let shared = try #require(
        page.split(separator: ".SH \"OPTIONS\"\n").last?.split(separator: "\n.S").first)
      let terms = terms(in: own).union(terms(in: shared))
      for option in listed("OPTIONS", in: help).flatMap(spellings) {
        #expect(terms.contains(option), "\(name) \(option)")
      }
    }
    #expect(count > 10)
  }

  @Test func `the command's page has every exit status`() async throws {
    let page = try await page("newsimport.1")
    for status in [0] + ExitStatus.allCases.map(\.rawValue) { #expect(page.contains("\n.TP\n\(status)\n")) }
  }

  @Test func `the configuration's page has every key under its table`() async throws {
    let page = try await page("newsimport.toml.5")
    let tables = ConfigurationManual.tables(from: .document)
    #expect(tables.count == 10)
    for table in tables {
      let title = table.title.isEmpty ? "The file" : table.title.replacing("…", with: "...")
      let section = try #require(
        page.split(separator: ".SS \"\(title)\"\n").last?.split(separator: "\n.S").first)
      for name in table.names { #expect(section.contains("\n.TP\n\(name)\n"), "\(title) \(name)") }
    }
  }

  @Test(arguments: ManualCommand.Page.manual)
  func `no line of a page is too long or looks like a macro by accident`(page: ManualCommand.Page) throws {
    for line in try page.text.split(separator: "\n", omittingEmptySubsequences: false) {
      #expect(line.utf8.count <= 120)
      #expect(!line.hasPrefix("'"))
      guard line.hasPrefix(".") else { continue }
      let macros: Set<Substring> = ["TH", "SH", "SS", "TP", "PP", "RS", "RE", "nf", "fi", "nh", "ad"]
      #expect(macros.contains(line.dropFirst().prefix(2)), "\(line)")
    }
  }

  /// The tools that check pages, if they are installed.
  @Test(
    arguments: [["mandoc", "-T", "lint", "-W", "warning"], ["man", "--warnings", "-l"]],
    ManualCommand.Page.manual)
  func `formatters report no warning about a page`(tool: [String], page: ManualCommand.Page) async throws {
    guard Shell.has(tool[0]) else { return }
    let file = try newsimport.folder.write(page.rawValue, try page.text.utf8)
    let result = try await Command.run(
      "/usr/bin/env", tool + [file], environment: ["LC_ALL": "C.UTF-8", "PATH": Shell.path, "MANWIDTH": "80"])
    #expect(result.status == 0 && result.err == "", "\(result.out.prefix(2000))\(result.err)")
  }

  @Test(arguments: [ManualCommand.Page.commands, .elements])
  func `a generated page of the reference is the one that the program prints`(page: ManualCommand.Page) throws
  {
    let file = Repository.folder.appending(path: "docs/\(page.rawValue)")
    let isCurrent = try String(contentsOf: file, encoding: .utf8) == page.text
    #expect(isCurrent, "run make reference")
  }

  @Test func `--version names the libraries that the program found`() async throws {
    let result = try await newsimport("--version")
    #expect(result.status == 0)
    let form =
      #/newsimport [\d.]+\nlibcurl [\d.]+\S* \(\S+.*\), libxml2 [\d.]+, SQLite [\d.]+\nJSON lines, version 3\n/#
    let isRight = result.out.wholeMatch(of: form) != nil
    #expect(isRight, "\(result.out)")
  }
}

/// The shells and tools of the machine that tests run on.
enum Shell {
  static let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"

  /// Returns whether a program is installed.
  static func has(_ name: String) -> Bool {
    path.split(separator: ":").contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
  }
}
