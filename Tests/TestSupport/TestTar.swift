/// Small tar archives for tests.
public enum TestTar {
  /// Returns an archive of members, with the blocks of zeros at its end.
  public static func archive(_ members: [[UInt8]]) -> [UInt8] {
    members.flatMap(\.self) + [UInt8](repeating: 0, count: 1024)
  }

  /// Returns a member: its header, and its content filled up to whole blocks.
  ///
  /// - Parameters:
  ///   - name: The name, of which at most 100 bytes are written.
  ///   - content: The bytes.
  ///   - type: The kind: `0` is a file, `2` a symbolic link, `x` values of pax, `L` a long name.
  ///   - size: The size in the header; nil for that of the content.
  ///   - mode: The permissions, 7 digits.
  ///   - isContinued: True if the map of a sparse file (`S`) continues in another block.
  public static func member(
    _ name: String, _ content: some Collection<UInt8>, type: Unicode.Scalar = "0", size: String? = nil,
    mode: String = "0000644", isContinued: Bool = false
  ) -> [UInt8] {
    var header = [UInt8](repeating: 0, count: 512)
    func write(_ text: some Sequence<UInt8>, at start: Int) {
      for (offset, byte) in text.enumerated() { header[start + offset] = byte }
    }
    write(name.utf8.prefix(100), at: 0)
    write((mode + "\0").utf8, at: 100)
    write((size ?? octal(content.count, digits: 11)).utf8, at: 124)
    write("00000000000\0".utf8, at: 136)
    write("        ".utf8, at: 148)
    write([UInt8(ascii: type)], at: 156)
    write("ustar\u{0}00".utf8, at: 257)
    if type == "S" {
      write("ustar  \0".utf8, at: 257)
      // The map: the content is after a hole of 1,000 bytes.
      write((octal(1000, digits: 11) + "\0" + octal(content.count, digits: 11)).utf8, at: 386)
      write(octal(1000 + content.count, digits: 11).utf8, at: 483)
    }
    if isContinued { header[482] = 1 }
    let sum = header.reduce(0) { $0 + Int($1) }
    write((octal(sum, digits: 6) + "\0 ").utf8, at: 148)
    return header + content + [UInt8](repeating: 0, count: (512 - content.count % 512) % 512)
  }

  private static func octal(_ number: Int, digits: Int) -> String {
    let text = String(number, radix: 8)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
