internal import Foundation

extension ByteLock {
  /// A process that has a lock.
  public struct Holder: Sendable, Equatable {
    /// The process ID.
    public let process: Int32
    /// True if the process inherited the lock.
    public let isInherited: Bool
  }

  /// Returns the processes that have a byte's lock, as far as this user may see them.
  public static func holders(of place: Int64, ofStore path: String) -> [Holder] {
    guard let file = FileStatus(path: Self.path(ofStore: path))?.identity else { return [] }
    return names(in: "/proc").compactMap { Int32($0) }.sorted().compactMap { process in
      let folder = "/proc/\(process)/fdinfo"
      let flags = names(in: folder).compactMap { number -> Int? in
        guard FileStatus(path: "/proc/\(process)/fd/\(number)")?.identity == file else { return nil }
        return (try? String(contentsOfFile: "\(folder)/\(number)", encoding: .utf8)).flatMap {
          Self.flags(ofDescriptor: $0, locking: place)
        }
      }
      guard let first = flags.first else { return nil }
      return Holder(process: process, isInherited: first & Int(O_CLOEXEC) == 0)
    }
  }

  /// Reads a description in /proc/PID/fdinfo.
  ///
  /// - Returns: The descriptor's flags; nil if it does not lock the byte.
  static func flags(ofDescriptor text: String, locking place: Int64) -> Int? {
    var flags: Int?
    var isLocking = false
    for line in text.split(separator: "\n") {
      let words = line.split { $0 == " " || $0 == "\t" }
      // "lock: 1: OFDLCK ADVISORY WRITE -1 fe:00:16244183 2166136261 2166136261"
      if words.first == "flags:" { flags = words.last.flatMap { Int($0, radix: 8) } }
      if words.first == "lock:", words.contains("OFDLCK"), words.suffix(2).allSatisfy({ Int64($0) == place })
      {
        isLocking = true
      }
    }
    return isLocking ? flags : nil
  }

  private static func names(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }
}
