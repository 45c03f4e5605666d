internal import Glibc
internal import TextOutput

/// A file path as the system has it: any bytes but NUL.
package struct FilePathBytes: Sendable, Hashable {
  package let bytes: [UInt8]

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  package init(_ text: String) { bytes = Array(text.utf8) }

  /// The path as text. Invalid UTF-8 reads as U+FFFD.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Returns the path to an entry in this folder.
  package func appending(_ name: [UInt8]) -> FilePathBytes {
    let slash = UInt8(ascii: "/")
    return FilePathBytes(bytes + (bytes.last == slash ? [] : [slash]) + name)
  }

  /// The absolute path without symbolic links; this path if the system does not know it.
  package var resolved: FilePathBytes {
    unsafe withCString { path in
      guard let found = unsafe realpath(path, nil) else { return self }
      defer { unsafe free(found) }
      return unsafe FilePathBytes(
        Array(UnsafeRawBufferPointer(start: found, count: strlen(found))))
    }
  }

  /// The current size of a regular file, in bytes; 0 for anything else.
  var fileSize: Int {
    var status = stat()
    guard unsafe withCString({ unsafe stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return 0
    }
    return Int(status.st_size)
  }

  /// The file's name as a `file` URL (RFC 8089).
  ///
  /// Such an address is never polled. Bytes that an address cannot contain are percent-encoded.
  package var address: String { "file://" + Self.percentEncoded(bytes) }

  /// Returns path bytes as a part of an address.
  package static func percentEncoded(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.percentEncoded(except: isPlain), as: UTF8.self)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~/!$&'()*+,;=:@".utf8.contains(byte)
    }
  }

  func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    let path = bytes.map { CChar(bitPattern: $0) } + [0]
    return unsafe path.withUnsafeBufferPointer { buffer in
      // The buffer has at least the final NUL.
      var empty: CChar = 0
      guard let start = buffer.baseAddress else { return unsafe body(&empty) }
      return unsafe body(start)
    }
  }
}
