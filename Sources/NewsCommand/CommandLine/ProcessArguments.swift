import Foundation

/// The program's arguments, without its name.
public struct ProcessArguments: Sendable {
  /// The arguments byte for byte.
  let bytes: [[UInt8]]
  /// The arguments, with `--store` and `--config` after the command. Invalid UTF-8 is replaced: see ``illegible``.
  let words: [String]
  /// False if the system does not report the arguments.
  let areKnown: Bool

  public init(_ bytes: [[UInt8]]) { self.init(bytes, areKnown: true) }

  private init(_ bytes: [[UInt8]], areKnown: Bool) {
    self.bytes = bytes
    self.areKnown = areKnown
    words = Self.withFilesLast(bytes.map { String(decoding: $0, as: UTF8.self) })
  }

  /// Moves `--store` and `--config` before the command to the end: the option parser knows only the commands' own
  /// options.
  private static func withFilesLast(_ words: [String]) -> [String] {
    var rest = words[...]
    while let first = rest.first, let name = ["--store", "--config"].first(where: first.hasPrefix) {
      guard first.utf8.count == name.utf8.count || first.dropFirst(name.count).first == "=" else { break }
      rest = rest.dropFirst(first.utf8.count == name.utf8.count ? 2 : 1)
    }
    let option = words[..<rest.startIndex]
    guard let command = rest.first, !command.hasPrefix("-") else { return words }
    let end = rest.firstIndex(of: "--") ?? rest.endIndex
    return Array(rest[..<end] + option + rest[end...])
  }

  /// The arguments that the process was started with.
  ///
  /// Swift searches them before the environment in memory. It finds none if a preloaded library has moved the
  /// environment, so they are read from the kernel (proc(5)).
  public static var ofProcess: ProcessArguments {
    guard let file = FileManager.default.contents(atPath: "/proc/self/cmdline"), !file.isEmpty else {
      // Without /proc, Swift may find no arguments, not even the program's name.
      let words = CommandLine.arguments.dropFirst()
      return ProcessArguments(words.map { Array($0.utf8) }, areKnown: !words.isEmpty)
    }
    // Each argument ends with a zero byte.
    let bytes = file.dropLast().split(separator: 0, omittingEmptySubsequences: false)
    return ProcessArguments(bytes.dropFirst().map { Array($0) })
  }

  /// The number of the first argument that is not valid UTF-8, from 1; nil if all are valid.
  var illegible: Int? {
    bytes.firstIndex { String(validating: $0, as: UTF8.self) == nil }.map { $0 + 1 }
  }
}
