import FeedImport
import TextOutput

/// The message after a fetch that could reach no server, or no server with the present settings.
enum OutageNotice {
  /// - Parameters:
  ///   - cause: The probable reason.
  ///   - unreachable: The number of feeds that could not be reached.
  ///   - example: An unreachable server, and the cause.
  ///   - left: The number of feeds that were not polled because of that.
  static func line(_ cause: OutageCause, unreachable: Int, example: String, left: Int) -> String {
    let others =
      left == 0 ? "," : ", and \(counted(left, "other feed")) \(left == 1 ? "was" : "were") not polled;"
    return
      "\(problem(cause, counted(unreachable, "feed"), example)) No failure was counted\(others) the next fetch tries again"
  }

  private static func problem(_ cause: OutageCause, _ feeds: String, _ example: String) -> String {
    let start = "no server could be reached for \(feeds) (\(example));"
    return switch cause {
    case .network: "\(start) is the network down?"
    case .proxy: "\(start) check the proxy."
    case .loginPage:
      "the network answered instead of the servers of \(feeds) (\(example)); log in to it with a browser."
    case .certificates: "\(start) are the clock and the trusted certificates of this machine right?"
    case .settings: "\(feeds) could not be fetched (\(example)); correct this setting."
    }
  }
}
