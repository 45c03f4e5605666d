import CGlibc
import Foundation
import Glibc

/// Sets up the process before anything else runs.
@MainActor
enum ProcessSetup {
  /// The user's own mask for new files; programs that this process starts get it.
  private(set) static var userMask: mode_t = 0o077

  static func prepare() {
    // The next opened file, such as the store, would get a closed descriptor 0, 1 or 2.
    while true {
      // Opened for reading only, so that lost output is reported as an error.
      let file = open("/dev/null", O_RDONLY)
      if file > 2 {
        close(file)
        break
      }
      if file < 0 { break }
    }
    // A write to a closed pipe or past a size limit must return an error, and not end the process.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    // New files contain private reading habits.
    userMask = umask(0o077)
    // Each heap retains the memory that its threads have freed: with two heaps, 20,000 feeds take 25 MB less.
    mallopt(M_ARENA_MAX, 2)
  }
}
