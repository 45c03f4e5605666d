import Foundation
import Glibc
import Threading

/// A number that identifies the claims of a run, and from which other runs can determine whether that run is alive.
///
/// From the lowest bit: 22 bits for the process ID (the largest on Linux), 20 for the scope of process IDs (machine, boot and
/// namespace), and 21 random bits. Whether a run in another scope is alive is unknown; its claims hold until they expire.
enum ClaimNumber {
  /// Returns a new number greater than 0.
  static func make() -> Int64 {
    let number = .random(in: 1..<1 << 21) << 42 | here << 22 | Int64(getpid()) & mask(22)
    own.withLock { _ = $0.insert(number) }
    return number
  }

  /// Returns whether the process that made a number has ended; false if that is unknown.
  static func isOfDead(_ number: Int64) -> Bool {
    let place = number >> 22 & mask(20)
    guard number > 0, place == here, here != 0 else { return false }
    let process = pid_t(truncatingIfNeeded: number & mask(22))
    // An earlier process with our process ID, as is common in containers.
    if process == getpid() { return own.withLock { !$0.contains(number) } }
    return process > 0 && kill(process, 0) != 0 && errno == ESRCH
  }

  /// The numbers that this process has made.
  private static let own = Locked<Set<Int64>>([])

  /// The scope in which process IDs are the same as here; 0 if the system does not report it.
  private static let here: Int64 = {
    let files = FileManager.default
    guard let boot = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8),
      let space = try? files.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid")
    else { return 0 }
    // FNV-1a, because Swift's own hashes differ between processes.
    let hash = (boot + space).utf8.reduce(into: UInt64(0xCBF2_9CE4_8422_2325)) { hash, byte in
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
    return Int64(truncatingIfNeeded: (hash ^ hash >> 40) & UInt64(mask(20)))
  }()

  private static func mask(_ bits: Int64) -> Int64 { 1 << bits - 1 }
}
