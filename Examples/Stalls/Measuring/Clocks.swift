import Dispatch
import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// The processor time of the calling thread.
enum ThreadClock {
  /// In seconds since the thread began.
  static var seconds: Double { seconds(of: CLOCK_THREAD_CPUTIME_ID) }

  /// What a clock of the system shows, in seconds.
  static func seconds(of clock: clockid_t) -> Double {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

extension DispatchTime {
  /// The seconds that have passed since then.
  var elapsed: Double {
    Double(DispatchTime.now().uptimeNanoseconds - uptimeNanoseconds) / 1e9
  }
}

/// Processor time from a moment on: this process's own, and that of all others.
struct ProcessorMeter {
  private let start = DispatchTime.now()
  private let own = Self.ownSeconds
  private let all = Self.allSeconds

  /// How many processors the other processes of the machine have used in the mean: its noise.
  var othersSinceStart: Double {
    max(0, (Self.allSeconds - all) - (Self.ownSeconds - own)) / max(start.elapsed, 0.001)
  }

  private static var ownSeconds: Double { ThreadClock.seconds(of: CLOCK_PROCESS_CPUTIME_ID) }

  /// Of all processors, without idling and waiting for disks (proc_stat(5)), in ticks of 10 ms.
  private static var allSeconds: Double {
    let statistics = (try? String(contentsOfFile: "/proc/stat", encoding: .utf8)) ?? ""
    let ticks = statistics.prefix { $0 != "\n" }.split(separator: " ").dropFirst().prefix(8).compactMap {
      Double($0)
    }
    return ticks.enumerated().reduce(0) { $0 + (3...4 ~= $1.offset ? 0 : $1.element) } / 100
  }
}

/// What the system knows of this process.
enum ProcessUsage {
  /// The most memory that the process ever had, in MB.
  static var peakMegabytes: Double {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) }
    return (kilobytes ?? 0) / 1024
  }

  /// Processor seconds of each living thread that a design has made, which are named by what they do.
  static var designThreads: [Double] {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.compactMap { task in
      let folder = "/proc/self/task/\(task)"
      guard let name = try? String(contentsOfFile: folder + "/comm", encoding: .utf8),
        name.hasPrefix("worker") || name.hasPrefix("root") || name.hasPrefix("writer"),
        let statistics = try? String(contentsOfFile: folder + "/schedstat", encoding: .utf8),
        let nanoseconds = statistics.split(separator: " ").first.flatMap({ Double($0) })
      else { return nil }
      return nanoseconds / 1e9
    }
  }
}
