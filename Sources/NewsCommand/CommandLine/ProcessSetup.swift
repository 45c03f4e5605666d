import CGlibc
import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// What the process needs before anything else runs.
@MainActor
enum ProcessSetup {
  /// The user's own mask for new files, for programs that are started.
  private(set) static var userMask: mode_t = 0o077

  static func prepare() {
    // A closed descriptor 0, 1 or 2 would be given to the next file that is opened: the store's.
    while true {
      // Not to be written: what should go there is told as lost.
      let file = open("/dev/null", O_RDONLY)
      if file > 2 {
        close(file)
        break
      }
      if file < 0 { break }
    }
    // Writing to a closed pipe or past a size limit is an error that a call returns, not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    // What is made holds private reading habits.
    userMask = umask(0o077)
    // A heap for each thread keeps what that thread has freed: with two, 20,000 feeds take 25 MB less.
    mallopt(M_ARENA_MAX, 2)
  }

  /// The first argument that is not UTF-8, by its number from 1; nil where there is none. Swift has other text in its place.
  static func illegibleArgument() -> Int? {
    let arguments = UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
    return arguments.indices.dropFirst().first { number in
      arguments[number].map { String(validatingCString: $0) == nil } ?? false
    }
  }
}
