import Glibc

/// The CPU time and wall-clock time of the measured sections of this process.
struct Stopwatch {
  private(set) var cpu = 0.0
  /// The part of the CPU time in the kernel.
  private(set) var system = 0.0
  private(set) var wall = 0.0

  /// Runs `body` and adds its time, on all threads.
  mutating func measure(_ body: () throws -> Void) rethrows {
    let (cpuStart, wallStart) = (Self.seconds(CLOCK_PROCESS_CPUTIME_ID), Self.seconds(CLOCK_MONOTONIC))
    let systemStart = Self.systemSeconds
    defer {
      cpu += Self.seconds(CLOCK_PROCESS_CPUTIME_ID) - cpuStart
      system += Self.systemSeconds - systemStart
      wall += Self.seconds(CLOCK_MONOTONIC) - wallStart
    }
    try measuredSection(body)
  }

  /// The peak memory of this process so far, in bytes.
  static var peakMemory: Int {
    usage.ru_maxrss * 1024
  }

  private static var systemSeconds: Double {
    let time = usage.ru_stime
    return Double(time.tv_sec) + Double(time.tv_usec) / 1e6
  }

  private static var usage: rusage {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage
  }

  private static func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

/// `make counts` counts only inside this function, which it finds by name, so it must remain one function.
@inline(never) @_optimize(none)
private func measuredSection(_ body: () throws -> Void) rethrows {
  try body()
}
