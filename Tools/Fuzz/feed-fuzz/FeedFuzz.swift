import ParserLaws

#if LIBFUZZER
  import CLibFuzzer
  import Glibc
#else
  import Foundation
#endif

/// `feed-fuzz LAW FILE ...` checks a law of the parsers on files. Built with `-DLIBFUZZER` and the sanitizers,
/// `feed-fuzz LAW SECONDS ...` looks for inputs that break it, for so many seconds of CPU time; the rest are
/// libFuzzer's arguments.
@main
enum FeedFuzz {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count > 2, let law = Law(rawValue: arguments[1]) else {
      fatalError("give a law (\(Law.allCases.map(\.rawValue).joined(separator: ", "))) and its arguments")
    }
    run(law)
  }

  /// Stops where the law is broken, which is what the fuzzer looks for.
  private static func check(_ law: Law, _ input: [UInt8]) -> Bool {
    do throws(Law.Violation) { return try law.check(input) } catch { fatalError("broken law: \(error)") }
  }

  #if LIBFUZZER
    /// Set once, before the fuzzer calls back on the same thread.
    nonisolated(unsafe) private static var law = Law.xml

    private static func run(_ law: Law) {
      unsafe self.law = law
      stop(afterSeconds: Int(CommandLine.arguments[2]) ?? 0)
      var count = CommandLine.argc - 2
      // The law and the time go; libFuzzer takes the rest as its own command line.
      var arguments = unsafe CommandLine.unsafeArgv + 2
      unsafe LLVMFuzzerRunDriver(&count, &arguments) { data, size in
        let input = unsafe Array(UnsafeBufferPointer(start: data, count: size))
        return unsafe FeedFuzz.check(FeedFuzz.law, input) ? 0 : -1
      }
    }

    /// libFuzzer counts the time on the wall only; it ends in good order when it is interrupted.
    private static func stop(afterSeconds seconds: Int) {
      signal(SIGPROF) { _ in raise(SIGINT) }
      var timer = itimerval(it_interval: timeval(), it_value: timeval(tv_sec: seconds, tv_usec: 0))
      unsafe setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &timer, nil)
    }
  #else
    private static func run(_ law: Law) {
      for path in CommandLine.arguments.dropFirst(2) {
        guard let data = FileManager.default.contents(atPath: path) else {
          fatalError("\(path) cannot be read")
        }
        print(path, check(law, Array(data)) ? "holds" : "is not about this law")
      }
    }
  #endif
}
