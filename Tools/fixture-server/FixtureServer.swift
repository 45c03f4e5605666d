import Foundation
import LoopbackServer

/// Serves a folder on 127.0.0.1 until it receives a signal.
@main
struct FixtureServer {
  static func main() {
    do throws(StartError) {
      let options = try Options(Array(CommandLine.arguments.dropFirst()))
      let end = EndSignal(after: options.seconds)
      let server = try start(options)
      FileHandle.standardOutput.write(Data("serving \(options.folder) at \(server.url("/"))\n".utf8))
      end.wait()
      server.stop()
    } catch {
      FileHandle.standardError.write(Data("fixture-server: \(error.message)\n".utf8))
      exit(error.status)
    }
  }

  private static func start(_ options: Options) throws(StartError) -> LoopbackHTTPServer {
    do {
      let folder = try FixtureFolder(options.folder)
      let server = try LoopbackHTTPServer(port: options.port) { folder.respond(to: $0) }
      if let file = options.portFile {
        // The write is atomic, because scripts wait for the file and read it at once.
        try Data("\(server.port)\n".utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
      }
      return server
    } catch {
      throw StartError(message: "\(error)", status: 66)
    }
  }
}

/// The reason why the server did not start.
struct StartError: Error {
  let message: String
  let status: Int32
}

/// Waits for SIGTERM, SIGINT, the end of the parent process, or a timeout.
struct EndSignal {
  private let semaphore = DispatchSemaphore(value: 0)
  private let sources: [any DispatchSourceProtocol]

  init(after seconds: Int?) {
    let semaphore = semaphore
    let signals = [SIGTERM, SIGINT].map { number in
      // The default action would end the process before the source receives the signal.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { _ = semaphore.signal() }
      source.activate()
      return source as any DispatchSourceProtocol
    }
    // The server must end with its parent, such as a demonstration. (Swift cannot call the variadic prctl, so the
    // parent is checked once a second.)
    let parent = getppid()
    let start = ContinuousClock.now
    let timer = DispatchSource.makeTimerSource()
    timer.schedule(deadline: .now() + 1, repeating: 1)
    timer.setEventHandler {
      let isLate = seconds.map { ContinuousClock.now - start >= .seconds($0) } ?? false
      if isLate || getppid() != parent { _ = semaphore.signal() }
    }
    timer.activate()
    sources = signals + [timer]
  }

  func wait() {
    semaphore.wait()
  }
}
