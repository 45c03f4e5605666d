import ArgumentParser
import Foundation
import LoopbackServer

/// Serves a folder on 127.0.0.1 until it receives a signal.
@main
struct FixtureServer: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fixture-server", abstract: "Serve a folder on 127.0.0.1.")

  @Argument(help: "The folder.") var folder: String
  @Option(help: "The port; 0 lets the system choose.") var port: UInt16 = 0
  @Option(help: "A file for the port.") var portFile: String?
  @Option(name: .customLong("for"), help: "The time to serve, in seconds.") var seconds: Int?

  func run() throws {
    let files = try FixtureFolder(folder)
    let server = try LoopbackHTTPServer(port: port) { files.respond(to: $0) }
    if let portFile {
      // The write is atomic, because scripts wait for the file and read it at once.
      try Data("\(server.port)\n".utf8).write(to: URL(fileURLWithPath: portFile), options: .atomic)
    }
    FileHandle.standardOutput.write(Data("serving \(folder) at \(server.url("/"))\n".utf8))
    // The server ends with its parent, such as a demonstration. (Swift cannot call the variadic prctl.)
    let parent = getppid()
    let end = seconds.map { ContinuousClock.now + .seconds($0) }
    while getppid() == parent, end.map({ ContinuousClock.now < $0 }) ?? true { sleep(1) }
  }
}
