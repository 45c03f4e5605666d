internal import Glibc

/// A conversion to UTF-8 by the C library's iconv.
@safe
final class IconvConverter {
  private let descriptor: iconv_t
  /// The size of the encoding's units in bytes; as many bytes are skipped if they are not text.
  private let unitBytes: Int
  private let pairs: PairRule?
  /// True if the converter holds back a letter because a combining mark may follow.
  private let composes: Bool

  /// Creates a converter, or nil if the C library does not know the encoding.
  init?(from name: String) {
    let isName = name.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_.:+()".utf8.contains($0) }
    guard isName, !name.isEmpty, name.utf8.count <= 40 else { return nil }
    // This form includes the NEC and IBM characters, which every browser reads.
    let opened = unsafe iconv_open("UTF-8", name == "euc-jp" ? "EUC-JP-MS" : name)
    // iconv_open returns (iconv_t)-1 if it fails.
    guard let opened = unsafe opened, Int(bitPattern: opened) != -1 else { return nil }
    unsafe descriptor = unsafe opened
    let lowercased = name.lowercased()
    pairs = PairRule(of: lowercased)
    composes = ["1258", "tcvn"].contains { lowercased.contains($0) }
    unitBytes =
      lowercased.hasPrefix("utf-32") || lowercased.hasPrefix("ucs-4")
      ? 4 : lowercased.hasPrefix("utf-16") || lowercased.hasPrefix("ucs-2") ? 2 : 1
  }

  deinit { _ = unsafe iconv_close(descriptor) }

  /// Converts `bytes` and appends the result; bytes that are not text become U+FFFD.
  ///
  /// The converter may hold back a letter to which a combining mark can be added; ``flush(into:)`` appends it
  /// at the end.
  ///
  /// - Returns: The number of bytes that were used, without an incomplete sequence at the end, and whether
  ///   some were not text.
  func convert(_ bytes: UnsafeBufferPointer<UInt8>, into result: inout [UInt8]) -> (
    used: Int, hadErrors: Bool
  ) {
    guard let base = bytes.baseAddress else { return (0, false) }
    var source =
      unsafe UnsafeMutableRawPointer(mutating: base).assumingMemoryBound(to: CChar.self)
      as UnsafeMutablePointer<CChar>?
    var left = bytes.count
    var hadErrors = false
    while left > 0 {
      let reason = unsafe step(&source, &left, into: &result)
      if reason == EINVAL { break }
      guard reason == EILSEQ, left > 0, let place = unsafe source else { continue }
      let rest = unsafe UnsafeRawBufferPointer(start: place, count: left)
      guard let passed = pairs.map({ unsafe $0.length(of: rest) }) ?? min(unitBytes, left) else {
        break
      }
      if composes { flush(into: &result) }
      result.append(contentsOf: [0xEF, 0xBF, 0xBD])
      unsafe source = source.map { unsafe $0 + passed }
      left -= passed
      hadErrors = true
    }
    return (bytes.count - left, hadErrors)
  }

  /// Appends the letter that was held back.
  func flush(into result: inout [UInt8]) {
    // Without input, iconv writes what it has kept.
    var (source, left): (UnsafeMutablePointer<CChar>?, Int) = (nil, 0)
    _ = unsafe step(&source, &left, into: &result)
  }

  /// Converts `bytes` from the encoding `name`; returns nil if the C library does not know it, or if they are
  /// not text in it.
  static func text(of bytes: [UInt8], in name: String) -> [UInt8]? {
    guard let converter = IconvConverter(from: name) else { return nil }
    var text: [UInt8] = []
    let outcome = unsafe bytes.withUnsafeBufferPointer { unsafe converter.convert($0, into: &text) }
    converter.flush(into: &text)
    return outcome.hadErrors || outcome.used < bytes.count ? nil : text
  }

  /// Calls iconv once for a piece of output; returns the error number, 0 if all bytes were read.
  private func step(
    _ source: inout UnsafeMutablePointer<CChar>?, _ left: inout Int, into result: inout [UInt8]
  ) -> Int32 {
    var reason: Int32 = 0
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 8192) { output in
      var target = output.baseAddress
      var room = output.count
      let outcome = unsafe iconv(descriptor, &source, &left, &target, &room)
      if outcome == -1 { reason = errno }
      unsafe output.withMemoryRebound(to: UInt8.self) { filled in
        unsafe result.append(contentsOf: filled[..<(filled.count - room)])
      }
    }
    return reason
  }
}

/// The length that one U+FFFD replaces in an encoding with byte pairs, so that decoding stays in step.
///
/// It is the whole pair, except for a second byte that is ASCII and may be markup (WHATWG Encoding, sections
/// 10 to 13).
enum PairRule {
  case big5, koreanOrChinese, shiftJIS, japanese

  /// Creates the rule for the encoding `name`; nil for encodings without pairs.
  init?(of name: String) {
    switch name {
    case "big5", "big5-hkscs": self = .big5
    case "cp949", "euc-kr", "gb18030", "gbk": self = .koreanOrChinese
    case "cp932", "shift_jis": self = .shiftJIS
    case "euc-jp": self = .japanese
    default: return nil
    }
  }

  /// Returns how many bytes at the beginning are invalid; nil if more bytes are needed.
  func length(of bytes: UnsafeRawBufferPointer) -> Int? {
    guard let lead = unsafe bytes.first, isLead(lead) else { return 1 }
    let longest = self == .japanese && lead == 0x8F ? 3 : 2
    for index in 1..<longest {
      guard index < bytes.count else { return nil }
      let byte = unsafe bytes[index]
      if byte < 0x80 { return index }
      if longest == 3, index == 1, !(0xA1...0xFE).contains(byte) { return 2 }
    }
    return longest
  }

  private func isLead(_ byte: UInt8) -> Bool {
    switch self {
    case .big5, .koreanOrChinese: (0x81...0xFE).contains(byte)
    case .shiftJIS: (0x81...0x9F).contains(byte) || (0xE0...0xFC).contains(byte)
    case .japanese: byte == 0x8E || byte == 0x8F || (0xA1...0xFE).contains(byte)
    }
  }
}
