import Foundation

/// The arguments of the process, without the program's name.
///
/// Swift searches them before the environment in memory. It finds none if a preloaded library has moved the environment, so
/// they are read from the kernel (proc(5)).
enum ProcessArguments {
  /// The arguments byte for byte.
  static let bytes: [[UInt8]] = {
    guard let file = FileManager.default.contents(atPath: "/proc/self/cmdline"), !file.isEmpty else {
      return CommandLine.arguments.dropFirst().map { Array($0.utf8) }
    }
    // Each argument ends with a zero byte.
    return file.dropLast().split(separator: 0, omittingEmptySubsequences: false).dropFirst().map { Array($0) }
  }()

  /// The arguments. Bytes that are not UTF-8 are replaced: see ``illegible``.
  static let words = bytes.map { String(decoding: $0, as: UTF8.self) }

  /// The number of the first argument that is not valid UTF-8, from 1; nil if all are valid.
  static var illegible: Int? {
    bytes.firstIndex { String(validating: $0, as: UTF8.self) == nil }.map { $0 + 1 }
  }
}
