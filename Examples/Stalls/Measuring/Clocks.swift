import Dispatch
import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// The processor time of the calling thread.
enum ThreadClock {
  /// The processor time since the thread began, in seconds.
  static var seconds: Double { seconds(of: CLOCK_THREAD_CPUTIME_ID) }

  /// Returns the time of a system clock, in seconds.
  static func seconds(of clock: clockid_t) -> Double {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

extension DispatchTime {
  /// The time that has passed since then, in seconds.
  var elapsed: Double {
    Double(DispatchTime.now().uptimeNanoseconds - uptimeNanoseconds) / 1e9
  }
}

/// Measures processor time from its creation on: of this process, and of all others.
struct ProcessorMeter {
  private let start = DispatchTime.now()
  private let own = Self.ownSeconds
  private let all = Self.allSeconds

  /// The mean number of processors that other processes of the machine have used: the noise of the measurement.
  var othersSinceStart: Double {
    max(0, (Self.allSeconds - all) - (Self.ownSeconds - own)) / max(start.elapsed, 0.001)
  }

  private static var ownSeconds: Double { ThreadClock.seconds(of: CLOCK_PROCESS_CPUTIME_ID) }

  /// The time of all processors without idle time and waiting for disks (proc_stat(5)), in seconds; counted in ticks of
  /// 10 ms.
  private static var allSeconds: Double {
    let statistics = (try? String(contentsOfFile: "/proc/stat", encoding: .utf8)) ?? ""
    let ticks = statistics.prefix { $0 != "\n" }.split(separator: " ").dropFirst().prefix(8).compactMap {
      Double($0)
    }
    return ticks.enumerated().reduce(0) { $0 + (3...4 ~= $1.offset ? 0 : $1.element) } / 100
  }
}

/// Measurements of the system for this process.
enum ProcessUsage {
  /// The largest amount of memory that the process has used, in MB.
  static var peakMegabytes: Double {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) }
    return (kilobytes ?? 0) / 1024
  }

  /// The processor time of each living thread of a design, in seconds. Such threads are recognized by the prefix of
  /// their name.
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
