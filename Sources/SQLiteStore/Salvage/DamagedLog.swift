internal import Foundation
internal import ManagedContext

/// Commits in a log that SQLite does not read, because a part of the log before them is damaged.
///
/// The format is described at sqlite.org/fileformat2.html#the_write_ahead_log.
struct DamagedLog {
  private static let headerBytes = 32
  private static let frameHeaderBytes = 24
  /// The number of frames that are read at once.
  private static let blockFrames = 64

  private var isBigEndian = false
  private var sums: (UInt32, UInt32) = (0, 0)
  /// Two random numbers, which the frames of a generation share. Frames of earlier generations may follow them.
  private var salts: [UInt8] = []
  private var isDamaged = false
  private var lostCommits = 0

  /// Returns the number of commits that SQLite does not read; 0 without a log.
  ///
  /// The commits of a program that writes the log at the same time may be counted.
  static func lostCommits(in path: String) throws(StoreError) -> Int {
    guard let file = FileHandle(forReadingAtPath: path) else { return 0 }
    defer { try? file.close() }
    do {
      var log = DamagedLog()
      guard let header = try file.read(upToCount: headerBytes), header.count == headerBytes else { return 0 }
      let pageBytes = log.readHeader([UInt8](header))
      let frameBytes = frameHeaderBytes + pageBytes
      while let block = try file.read(upToCount: frameBytes * blockFrames), block.count >= frameBytes {
        let bytes = [UInt8](block)
        for start in stride(from: 0, through: bytes.count - frameBytes, by: frameBytes) {
          log.readFrame(bytes[start..<start + frameBytes])
        }
      }
      return log.lostCommits
    } catch {
      throw .inputOutput("\(path): \(StoreFile.lastCause())")
    }
  }

  /// - Returns: The size of a page.
  private mutating func readHeader(_ bytes: [UInt8]) -> Int {
    isBigEndian = bytes[3] & 1 == 1
    add(bytes[..<24])
    salts = Array(bytes[16..<24])
    let size = Int(Self.number(bytes[8..<12]))
    let isKnown =
      [0x377F_0682, 0x377F_0683].contains(Self.number(bytes[..<4])) && size == LeafPages.pageBytes
    isDamaged = !isKnown || !matchesSums(bytes[24...])
    // The frames may be whole: the first one states their salts.
    if isDamaged { salts = [] }
    return LeafPages.pageBytes
  }

  private mutating func readFrame(_ bytes: ArraySlice<UInt8>) {
    let start = bytes.startIndex
    let found = bytes[start + 8..<start + 16]
    if salts.isEmpty { salts = Array(found) }
    if !isDamaged {
      add(bytes[start..<start + 8])
      add(bytes[(start + Self.frameHeaderBytes)...])
      isDamaged = !found.elementsEqual(salts) || !matchesSums(bytes[start + 16..<start + 24])
    }
    // The last frame of a commit states the size of the store.
    let isCommit = Self.number(bytes[start + 4..<start + 8]) > 0
    if isDamaged, isCommit, found.elementsEqual(salts) { lostCommits += 1 }
  }

  /// Adds a whole number of pairs of words to the checksums.
  private mutating func add(_ bytes: ArraySlice<UInt8>) {
    var (first, second) = sums
    unsafe bytes.withUnsafeBytes { bytes in
      for offset in stride(from: 0, to: bytes.count, by: 8) {
        let words = (
          unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self),
          unsafe bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
        )
        first &+= (isBigEndian ? words.0.bigEndian : words.0.littleEndian) &+ second
        second &+= (isBigEndian ? words.1.bigEndian : words.1.littleEndian) &+ first
      }
    }
    sums = (first, second)
  }

  private func matchesSums(_ bytes: ArraySlice<UInt8>) -> Bool {
    Self.number(bytes.prefix(4)) == sums.0 && Self.number(bytes.suffix(4)) == sums.1
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }
}
