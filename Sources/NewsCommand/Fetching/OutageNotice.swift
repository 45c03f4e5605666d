import TextOutput

/// The message of a fetch that could reach no server.
enum OutageNotice {
  /// Returns the message.
  ///
  /// - Parameters:
  ///   - unreachable: The number of feeds that could not be reached.
  ///   - example: One of their servers, and the cause.
  ///   - left: The number of feeds that were not polled because of that.
  static func line(unreachable: Int, example: String, left: Int) -> String {
    let others =
      left == 0 ? "," : ", and \(counted(left, "other feed")) \(left == 1 ? "was" : "were") not polled;"
    return
      "no server could be reached for \(counted(unreachable, "feed")) (\(example)); is the network down? "
      + "No failure was counted\(others) the next fetch tries again"
  }
}
