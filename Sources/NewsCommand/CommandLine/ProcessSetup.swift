import ArticleHooks
import CGlibc
import Foundation
import Glibc
import TextOutput

/// Sets up the process before anything else runs.
@MainActor
enum ProcessSetup {
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
    UserMask.replace()
    // Each heap retains the memory that its threads have freed: with two heaps, 20,000 feeds take 25 MB less.
    mallopt(M_ARENA_MAX, 2)
    // Otherwise the limit grows with each large block that is freed, and the holes in the heap stay: 64 large
    // responses at once take 60 MB less.
    mallopt(M_MMAP_THRESHOLD, 512 << 10)
    // Each page's texts are freed before the next page is read: the heap would shrink and grow each time.
    mallopt(M_TRIM_THRESHOLD, 1 << 20)
  }

  /// The thread counts that every command needs, and a command that saves: for Swift's runtime, claims,
  /// downloads and the writer. An import also has a worker for each processor.
  private static let neededThreads = (reading: 2, saving: 8)
  /// The most files that a command opens at once: three standard ones, the store with its log and its shared
  /// memory for the writer and some readers, and a connection.
  private static let neededFiles: rlim_t = 24

  /// Checks for the resources that every command needs: without them, the runtime hangs or stops the process.
  ///
  /// - Parameter forSaving: True for a command that may save, or needs as many threads.
  /// - Throws: ``CommandFailure`` with status 71.
  static func checkResources(forSaving: Bool) throws {
    var files = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
    if files.rlim_cur < neededFiles {
      throw CommandFailure(
        .system,
        "only \(files.rlim_cur) files may be open at once, and \(neededFiles) are needed; raise the limit (ulimit -n)"
      )
    }
    let count =
      forSaving ? neededThreads.saving + ProcessInfo.processInfo.activeProcessorCount : neededThreads.reading
    let code = threadError(count: count)
    guard code == 0 else {
      throw CommandFailure(
        .system,
        "no thread can be created: \(systemCause(code)); end other programs, or raise the limit (ulimit -u)"
      )
    }
  }

  /// Creates threads that exist at the same time, and ends them.
  ///
  /// - Returns: The error from pthread_create(3); 0 if all were created.
  private static func threadError(count: Int) -> Int32 {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return errno }
    var threads: [pthread_t] = []
    var code: Int32 = 0
    while code == 0, threads.count < count {
      var thread = pthread_t()
      // The thread waits until the other end of the pipe is closed.
      code = pthread_create(
        &thread, nil,
        { end in
          var byte: UInt8 = 0
          _ = read(Int32(Int(bitPattern: end)), &byte, 1)
          return nil
        }, UnsafeMutableRawPointer(bitPattern: Int(ends[0])))
      if code == 0 { threads.append(thread) }
    }
    close(ends[1])
    for thread in threads { pthread_join(thread, nil) }
    close(ends[0])
    return code
  }
}
