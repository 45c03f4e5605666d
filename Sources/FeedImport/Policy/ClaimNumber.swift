import Foundation
import Glibc
import Threading

/// The number by which a run's claims are told from those of others, and by which others can tell whether it lives.
///
/// From the low bits on: 22 of the process (Linux has no higher ones), 20 of where that number counts (machine, boot and
/// namespace), 21 of chance. Of a run in another place nothing can be told; its claims hold until they expire.
enum ClaimNumber {
  /// A new number, above 0.
  static func make() -> Int64 {
    let number = .random(in: 1..<1 << 21) << 42 | here << 22 | Int64(getpid()) & mask(22)
    own.withLock { _ = $0.insert(number) }
    return number
  }

  /// Whether the process that made a number has ended; false where that cannot be told.
  static func isOfDead(_ number: Int64) -> Bool {
    let place = number >> 22 & mask(20)
    guard number > 0, place == here, here != 0 else { return false }
    let process = pid_t(truncatingIfNeeded: number & mask(22))
    // A process that began with our number before us: those of containers often have the same.
    if process == getpid() { return own.withLock { !$0.contains(number) } }
    return process > 0 && kill(process, 0) != 0 && errno == ESRCH
  }

  /// Those that this process has made.
  private static let own = Locked<Set<Int64>>([])

  /// Where process numbers are the same as here; 0 where the system does not tell.
  private static let here: Int64 = {
    let files = FileManager.default
    guard let boot = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8),
      let space = try? files.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid")
    else { return 0 }
    // FNV-1a: Swift's own hashes differ from process to process.
    let hash = (boot + space).utf8.reduce(into: UInt64(0xCBF2_9CE4_8422_2325)) { hash, byte in
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
    return Int64(truncatingIfNeeded: (hash ^ hash >> 40) & UInt64(mask(20)))
  }()

  private static func mask(_ bits: Int64) -> Int64 { 1 << bits - 1 }
}
