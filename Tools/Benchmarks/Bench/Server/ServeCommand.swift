import ArgumentParser
import Glibc

/// Serves a folder on inherited sockets.
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "serve", shouldDisplay: false)

  @Argument var folder: String
  @Option var sockets: String
  @Flag var withoutValidators = false

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    try FileServer(folder: folder, hasValidators: !withoutValidators)
      .serve(sockets.split(separator: ",").compactMap { Int32($0) })
  }
}

/// A server in a separate process.
struct ServerProcess {
  private let process: ChildProcess

  init(_ folder: String, on listeners: Listeners, withoutValidators: Bool = false) throws {
    let sockets = listeners.descriptors.map { "\($0)" }.joined(separator: ",")
    process = try ChildProcess(
      [ChildProcess.ownPath, "serve", folder, "--sockets", sockets]
        + (withoutValidators ? ["--without-validators"] : []),
      descriptors: listeners.descriptors)
  }

  /// Ends the server.
  func stop() throws {
    process.terminate()
    _ = try process.wait()
  }
}
