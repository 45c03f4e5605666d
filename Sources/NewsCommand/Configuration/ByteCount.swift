import ArgumentParser
import Foundation

/// A size as people write it: 32MiB, 10MB, 4096.
struct ByteCount: Equatable {
  let bytes: Int

  /// - Throws: `ValidationError` unless the argument is a size from 1 byte to 1 TiB.
  init(argument: String) throws {
    let digits = argument.prefix(while: \.isNumber)
    let unit = argument.dropFirst(digits.count).trimmingCharacters(in: .whitespaces).lowercased()
    let factors = [
      "": 1, "b": 1, "k": 1 << 10, "kb": 1000, "kib": 1 << 10, "m": 1 << 20, "mb": 1_000_000, "mib": 1 << 20,
      "g": 1 << 30, "gb": 1_000_000_000, "gib": 1 << 30,
      "t": 1 << 40, "tb": 1_000_000_000_000, "tib": 1 << 40,
    ]
    guard let number = Int(digits), let factor = factors[unit] else {
      throw ValidationError("'\(argument)' is not a size; write it like 32MiB.")
    }
    let (bytes, overflows) = number.multipliedReportingOverflow(by: factor)
    guard !overflows, bytes > 0, bytes <= 1 << 40 else {
      throw ValidationError("'\(argument)' is out of range; a size is from 1 byte to 1 TiB.")
    }
    self.bytes = bytes
  }
}
