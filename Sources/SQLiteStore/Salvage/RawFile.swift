internal import Glibc
internal import ManagedContext

/// Reads and writes the bytes of a database file without SQLite.
enum RawFile {
  private static let blockBytes = 1 << 20
  /// The size of the blocks in which a damaged disk is read.
  private static let sectorBytes = 4096

  /// Copies a file. Sectors that the disk cannot read are zero in the copy.
  ///
  /// - Parameter isNeeded: False if the file may be missing.
  static func copy(_ path: String, to copy: String, isNeeded: Bool) throws(StoreError) {
    let source = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else {
      if !isNeeded, errno == ENOENT { return }
      throw .cannotOpen("\(path): \(StoreFile.lastCause())")
    }
    defer { close(source) }
    let target = unsafe open(copy, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard target >= 0 else { throw .cannotOpen("\(copy): \(StoreFile.lastCause())") }
    defer { close(target) }
    var block = [UInt8](repeating: 0, count: blockBytes)
    var offset = 0
    while true {
      var count = unsafe pread(source, &block, block.count, off_t(offset))
      if count < 0, errno == EINTR { continue }
      if count < 0 {
        count = unsafe pread(source, &block, sectorBytes, off_t(offset))
        if count < 0 {
          guard errno == EIO else { throw .inputOutput("\(path): \(StoreFile.lastCause())") }
          count = sectorBytes
          for index in 0..<count { block[index] = 0 }
        }
      }
      if count == 0 { return }
      guard unsafe pwrite(target, block, count, off_t(offset)) == count else {
        throw errno == ENOSPC
          ? .full("\(copy): \(StoreFile.lastCause())") : .inputOutput("\(copy): \(StoreFile.lastCause())")
      }
      offset += count
    }
  }

  /// Shortens a file of several pages to whole pages. SQLite reads the missing rest of a page as zeros, so that its rows would
  /// be taken for deleted ones.
  static func removePartOfPage(atEndOf path: String) throws(StoreError) {
    let size = FileStatus(path: path)?.size ?? 0
    let part = size % LeafPages.pageBytes
    guard part > 0, size > LeafPages.pageBytes else { return }
    guard unsafe truncate(path, off_t(size - part)) == 0 else {
      throw .inputOutput("\(path): \(StoreFile.lastCause())")
    }
  }

  /// Replaces a damaged header of a file by that of another store of the same model
  /// (sqlite.org/fileformat2.html#the_database_header).
  static func repairHeader(of path: String, like other: String) throws(StoreError) {
    let found = try header(of: path)
    var wanted = try header(of: other)
    let size = FileStatus(path: path)?.size ?? 0
    // The page size, the constants after the versions, the format of definitions and the encoding. The versions state the
    // mode of the journal.
    let isValid =
      [16..<18, 20..<24, 44..<48, 56..<60].allSatisfy { found[$0] == wanted[$0] }
      && found[18..<20].allSatisfy { [1, 2].contains($0) }
      && number(at: 28, of: found) == size / LeafPages.pageBytes
    // The name of the format, and that of the program: another program's file is left as it is.
    let isNamed = found.prefix(16) == wanted.prefix(16)
    guard !isNamed || (!isValid && found[68..<72] == wanted[68..<72]) else { return }
    // Zero means: the size of the file in pages, and no unused pages.
    for index in 28..<40 { wanted[index] = 0 }
    try write(wanted, to: path, page: 1)
  }

  private static func number(at offset: Int, of bytes: [UInt8]) -> Int {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Writes a first page without definitions of tables, with the header of another store of the same model.
  static func clearFirstPage(of path: String, like other: String) throws(StoreError) {
    var page = try header(of: other)
    for index in 28..<40 { page[index] = 0 }
    // A leaf without cells, whose free space ends with the page.
    page += [13, 0, 0, 0, 0, UInt8(LeafPages.pageBytes >> 8), UInt8(LeafPages.pageBytes & 0xFF), 0]
    page += [UInt8](repeating: 0, count: LeafPages.pageBytes - page.count)
    try write(page, to: path, page: 1)
  }

  /// Writes bytes to the beginning of a page, from 1.
  static func write(_ bytes: [UInt8], to path: String, page: Int) throws(StoreError) {
    let file = unsafe open(path, O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { throw .cannotOpen("\(path): \(StoreFile.lastCause())") }
    defer { close(file) }
    let offset = off_t((page - 1) * LeafPages.pageBytes)
    guard unsafe pwrite(file, bytes, bytes.count, offset) == bytes.count else {
      throw .inputOutput("\(path): \(StoreFile.lastCause())")
    }
  }

  private static func header(of path: String) throws(StoreError) -> [UInt8] {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw .cannotOpen("\(path): \(StoreFile.lastCause())") }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 100)
    guard unsafe pread(file, &bytes, bytes.count, 0) >= 0 else {
      throw .inputOutput("\(path): \(StoreFile.lastCause())")
    }
    return bytes
  }
}
