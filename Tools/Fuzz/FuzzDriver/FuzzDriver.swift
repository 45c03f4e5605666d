public import ParserLaws

#if LIBFUZZER
  import CLibFuzzer
  import Glibc
#else
  import Foundation
#endif

/// Checks a law on files: `feed-fuzz LAW FILE ...`.
///
/// A build with `-DLIBFUZZER` and the sanitizers searches for inputs that violate the law: `feed-fuzz LAW SECONDS ...`,
/// with the CPU time in seconds and libFuzzer's own arguments.
public enum FuzzDriver {
  /// Runs a program for a set of laws.
  public static func main<Laws: CheckedLaw>(_ laws: Laws.Type) {
    let arguments = CommandLine.arguments
    guard arguments.count > 2, let law = Laws(rawValue: arguments[1]) else {
      fatalError("give a law (\(Laws.allCases.map(\.rawValue).joined(separator: ", "))) and its arguments")
    }
    run(law)
  }

  /// Stops the process if the law is violated, as the fuzzer expects.
  private static func check(_ law: any CheckedLaw, _ input: [UInt8]) -> Bool {
    do throws(Law.Violation) { return try law.check(input) } catch { fatalError("broken law: \(error)") }
  }

  #if LIBFUZZER
    /// It is set once, before the fuzzer calls back on the same thread.
    nonisolated(unsafe) private static var law: any CheckedLaw = Law.xml

    private static func run(_ law: any CheckedLaw) {
      unsafe self.law = law
      stop(afterSeconds: Int(CommandLine.arguments[2]) ?? 0)
      var count = CommandLine.argc - 2
      // The law and the time are removed. libFuzzer parses the rest as its own command line.
      var arguments = unsafe CommandLine.unsafeArgv + 2
      unsafe LLVMFuzzerRunDriver(&count, &arguments) { data, size in
        let input = unsafe Array(UnsafeBufferPointer(start: data, count: size))
        return unsafe FuzzDriver.check(FuzzDriver.law, input) ? 0 : -1
      }
    }

    /// Ends the fuzzer after a CPU time with an interrupt, because libFuzzer itself limits only the wall-clock time.
    private static func stop(afterSeconds seconds: Int) {
      signal(SIGPROF) { _ in raise(SIGINT) }
      var timer = itimerval(it_interval: timeval(), it_value: timeval(tv_sec: seconds, tv_usec: 0))
      unsafe setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &timer, nil)
    }
  #else
    private static func run(_ law: any CheckedLaw) {
      for path in CommandLine.arguments.dropFirst(2) {
        guard let data = FileManager.default.contents(atPath: path) else {
          fatalError("\(path) cannot be read")
        }
        print(path, check(law, Array(data)) ? "holds" : "does not concern this law")
      }
    }
  #endif
}
