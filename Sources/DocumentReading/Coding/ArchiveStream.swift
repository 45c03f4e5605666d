internal import CArchive
internal import Glibc

/// An input that libarchive decodes (libarchive.org): an archive's members, or one compressed document.
///
/// The library is loaded for the first such input. Other formats are off, because it would start programs.
@safe final class ArchiveStream: ByteSource {
  /// A member. ``next()`` returns its bytes until the next header is read.
  struct Header {
    let name: [UInt8]
    /// False for a folder, a link, a device or anything else without content.
    let isFile: Bool
    /// True if holes are left out.
    let isSparse: Bool
    let isEncrypted: Bool
  }

  // Immutable, and called only by the thread that reads.
  private nonisolated(unsafe) static let loaded = unsafe libarchive_load()
  private nonisolated(unsafe) static let unicode = unsafe carchive_unicode_locale()

  private let library: libarchive_functions
  private let archive: OpaquePointer
  private let source: any ByteSource
  /// The file in which libarchive may seek; nil if it reads from the beginning to the end.
  private let file: FileBytes?
  private let isDocument: Bool
  /// The bytes that libarchive reads now.
  private var piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 0, alignment: 1)
  private var isInMember = false
  /// True if libarchive has recognized the format.
  private var isOpen = false
  private var headerCount = 0
  /// True if libarchive has asked for bytes after the last one.
  private var isAtEnd = false
  /// The failure of the source or of a member, after bytes that were returned.
  private var failure: InputFailure?
  /// True after a failure that nothing can follow.
  private(set) var hasFailed = false

  /// Opens a document compressed with bzip2, xz or Zstandard.
  convenience init(compressed source: any ByteSource) throws(InputFailure) {
    try self.init(source, isDocument: true)
    _ = try nextHeader()
  }

  /// The count of compression layers that are removed.
  var layerCount: Int { Int(unsafe library.archive_filter_count(archive)) - 1 }

  /// Opens a tar, zip or 7z archive.
  ///
  /// - Parameter file: The source, if it is a regular file with a member index; it is read again.
  convenience init(archive source: any ByteSource, indexedIn file: FileBytes?) throws(InputFailure) {
    try self.init(file ?? source, indexedIn: file, isDocument: false)
  }

  private init(
    _ source: any ByteSource, indexedIn file: FileBytes? = nil, isDocument: Bool
  ) throws(InputFailure) {
    guard let loaded = unsafe Self.loaded else {
      throw InputFailure(
        .system,
        "the library libarchive.so.13, which unpacks it, is missing; install the package libarchive13")
    }
    unsafe library = loaded.pointee
    guard let created = unsafe library.archive_read_new() else { throw .outOfMemory }
    unsafe archive = created
    (self.source, self.file, self.isDocument) = (source, file, isDocument)
    let formats =
      unsafe isDocument
      ? [
        library.archive_read_support_filter_bzip2, library.archive_read_support_filter_xz,
        library.archive_read_support_filter_zstd, library.archive_read_support_format_raw,
        library.archive_read_support_format_empty,
      ]
      : [
        library.archive_read_support_format_tar, library.archive_read_support_format_cpio,
        library.archive_read_support_format_zip,
        library.archive_read_support_format_7zip,
      ]
    // The code is a warning if libarchive would start a program instead.
    guard unsafe formats.allSatisfy({ unsafe $0(archive) == ARCHIVE_OK }) else { throw .notDecoded }
    try open()
  }

  deinit {
    _ = unsafe library.archive_read_free(archive)
    unsafe piece.deallocate()
  }

  private func open() throws(InputFailure) {
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    _ = unsafe library.archive_read_set_callback_data(archive, context)
    _ = unsafe library.archive_read_set_read_callback(archive) { _, context, start in
      guard let context = unsafe context, let start = unsafe start else { return -1 }
      return unsafe Unmanaged<ArchiveStream>.fromOpaque(context).takeUnretainedValue().provide(start)
    }
    if let file {
      _ = file.seek(to: 0, from: SEEK_SET)
      _ = unsafe library.archive_read_set_seek_callback(archive) { _, context, offset, origin in
        guard let context = unsafe context else { return -1 }
        let stream = unsafe Unmanaged<ArchiveStream>.fromOpaque(context).takeUnretainedValue()
        stream.isAtEnd = false
        return stream.file?.seek(to: offset, from: origin) ?? -1
      }
    }
    isOpen = unsafe library.archive_read_open1(archive) == ARCHIVE_OK
    hasFailed = !isOpen
    if hasFailed { throw cause() }
  }

  /// Passes the next bytes to libarchive. A failure is thrown once libarchive has returned.
  private func provide(_ start: UnsafeMutablePointer<UnsafeRawPointer?>) -> Int {
    do throws(InputFailure) {
      let bytes = try source.next()
      isAtEnd = bytes.isEmpty
      unsafe piece.deallocate()
      unsafe piece = .allocate(byteCount: bytes.count, alignment: 1)
      unsafe piece.copyBytes(from: bytes)
      unsafe start.pointee = UnsafeRawPointer(piece.baseAddress)
      return bytes.count
    } catch {
      failure = error
      return -1
    }
  }

  /// Skips the rest of a member, and reads the next header; nil at the end.
  func nextHeader() throws(InputFailure) -> Header? {
    (isInMember, failure) = (false, nil)
    // libarchive converts names stored in Unicode to the encoding of the thread's locale.
    let earlier = unsafe uselocale(Self.unicode)
    defer { unsafe uselocale(earlier) }
    var entry: OpaquePointer?
    let code = unsafe library.archive_read_next_header(archive, &entry)
    if code == ARCHIVE_EOF { return nil }
    // After a warning, the member can be read.
    guard code == ARCHIVE_OK || code == ARCHIVE_WARN else {
      hasFailed = true
      throw cause()
    }
    isInMember = true
    headerCount += 1
    let name = unsafe library.archive_entry_pathname(entry)
    return unsafe Header(
      name: name.map { unsafe Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
        // A name in no known encoding. Members are told apart by their names.
        ?? Array("?\(headerCount)".utf8),
      isFile: library.archive_entry_filetype(entry) == carchive_regular_file
        && library.archive_entry_hardlink(entry) == nil,
      isSparse: library.archive_entry_sparse_count(entry) > 0,
      isEncrypted: library.archive_entry_is_data_encrypted(entry) != 0)
  }

  func next() throws(InputFailure) -> [UInt8] {
    while isInMember {
      if let failure { throw failure }
      var start: UnsafeRawPointer?
      var count = 0
      var offset: Int64 = 0
      let code = unsafe library.archive_read_data_block(archive, &start, &count, &offset)
      if code == ARCHIVE_EOF { isInMember = false }
      if code < ARCHIVE_OK {
        hasFailed = code == ARCHIVE_FATAL
        failure = cause()
      }
      if code == ARCHIVE_OK || code == ARCHIVE_WARN, count > 0 {
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
      }
    }
    return []
  }

  /// True after the last member of a tar archive without the zero blocks that mark the end.
  var lacksEnd: Bool {
    unsafe library.archive_format(archive) & ARCHIVE_FORMAT_BASE_MASK == ARCHIVE_FORMAT_TAR
      && library.archive_filter_bytes(archive, 0) == library.archive_read_header_position(archive)
  }

  /// Reads what follows the archive's end, because a compressed source checks its sum there.
  func readRest() throws(InputFailure) {
    guard file == nil else { return }
    while try !source.next().isEmpty {}
  }

  /// Returns the cause of the last failure. libarchive has no codes for its own failures, only texts to show.
  private func cause() -> InputFailure {
    if let failure { return failure }
    let text = unsafe library.archive_error_string(archive).map { unsafe " (\(String(cString: $0)))" } ?? ""
    if isDocument {
      // A decoder asks for more bytes than there are if its input is cut off, or if others follow its end.
      return isAtEnd
        ? InputFailure(.refused, "cut off: its compression is not complete, or other bytes follow its end")
        : InputFailure(.refused, "its compression is damaged or not supported\(text)")
    }
    // Without a format, libarchive may be asked for nothing else.
    guard isOpen else { return InputFailure(.refused, "cannot be unpacked\(text)") }
    if hasFailed, isAtEnd { return InputFailure(.refused, "the archive is cut off here") }
    if headerCount == 0, unsafe library.archive_read_has_encrypted_entries(archive) > 0 { return .encrypted }
    let cause =
      hasFailed ? "the archive is damaged: after this, nothing more of it is read" : "cannot be unpacked"
    return InputFailure(.refused, cause + text)
  }
}

extension InputFailure {
  fileprivate static let notDecoded = InputFailure(
    .system, "the library libarchive.so.13 of this system does not decode it; decompress it first")
  static let encrypted = InputFailure(.refused, "encrypted; unpack the archive with its password first")
}
