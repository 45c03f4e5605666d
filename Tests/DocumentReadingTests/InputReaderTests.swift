import CGlibc
import DocumentReading
import Foundation
import Glibc
import TestSupport
import Testing

@Suite struct InputReaderTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// The documents of files, as their names and texts; of a document that fails, the text before and the cause.
  private func read(_ paths: String...) -> [String] {
    let reader = InputReader(paths)
    var found: [String] = []
    while let part = reader.next() {
      switch part {
      case .failure(let name, let failure): found.append("\(short(name)): \(failure.cause)")
      case .doubt(let name, let cause): found.append("\(short(name))? \(cause)")
      case .document(let document):
        var text = document.head.flatMap(\.self)
        var cause = ""
        do throws(InputFailure) {
          while let piece = try document.rest?.next(), !piece.isEmpty { text += piece }
        } catch {
          cause = " (\(error.cause))"
        }
        let shown = text.count > 100 ? "\(text.count) bytes" : String(decoding: text, as: UTF8.self)
        found.append("\(short(document.name))=\(shown)\(cause)")
      }
    }
    return found
  }

  private func short(_ name: String) -> String { name.replacingOccurrences(of: folder.path + "/", with: "") }

  private static func bytes(_ base64: String) -> [UInt8] { Array(Data(base64Encoded: base64) ?? Data()) }

  private static let gzip = bytes("H4sIAAAAAAACA/NIzcnJ11FILErOyCxLBQDFEt4yDgAAAA==")
  private static let zstd = bytes("KLUv/SQOcQAASGVsbG8sIGFyY2hpdmXLr0wE")
  private static let xz = bytes(
    "/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQANSGVsbG8sIGFyY2hpdmUAAAAZoSQsicR5dQABJg4IG+AEH7bzfQEAAAAABFla")
  private static let bzip2 = bytes(
    "QlpoOTFBWSZTWUQmfiMAAAEVgEAEAEAqZJEAIAAiANBoQNA0G0RxGaCnHxdyRThQkEQmfiM=")

  @Test func `compression is recognized by its first bytes, also twice, and in several parts`() throws {
    let files = [
      try folder.write("1", Self.gzip), try folder.write("2", Self.zstd),
      try folder.write("3", Self.gzip + Self.gzip + [0, 0, 0]), try folder.write("4", Self.zstd + Self.zstd),
      try folder.write("5", Self.xz), try folder.write("6", Self.bzip2),
    ]
    #expect(
      files.flatMap { read($0) }
        == [
          "1=Hello, archive", "2=Hello, archive", "3=Hello, archiveHello, archive",
          "4=Hello, archiveHello, archive", "5=Hello, archive", "6=Hello, archive",
        ])
  }

  @Test(arguments: [5, 12, 20]) func `compressed bytes that are cut end with the cause`(count: Int) throws {
    // The other formats are recognized by more bytes.
    for bytes in [
      Self.gzip.prefix(count), Self.zstd.prefix(count), Self.xz.prefix(30), Self.bzip2.prefix(30),
    ] {
      let found = read(try folder.write("1", bytes))
      #expect(found.count == 1 && found[0].contains("cut off: its compression is not complete"), "\(found)")
    }
  }

  @Test func `a frame whose text fills whole pieces is complete`() throws {
    // 65,536 times the letter a.
    let frame = Array(Data(base64Encoded: "KLUv/QRYVQAAEGFhAQD7fx1gAZse4kA=") ?? Data())
    #expect(read(try folder.write("1", frame)) == ["1=65536 bytes"])
  }

  @Test func `damaged compression ends with the cause`() throws {
    for (bytes, place) in [(Self.gzip, 12), (Self.zstd, 6), (Self.xz, 30), (Self.bzip2, 20)] {
      var damaged = bytes
      damaged[place] ^= 0xFF
      damaged[place + 1] ^= 0xFF
      let found = read(try folder.write("1", damaged))
      #expect(found.count == 1 && found[0].contains("compression"), "\(found)")
    }
    var wrongSum = Self.gzip
    wrongSum[wrongSum.count - 8] ^= 1
    #expect(read(try folder.write("1", wrongSum)) == ["1=Hello, archive (its compression is damaged)"])
    let extra = read(try folder.write("1", Self.gzip + [1]))
    #expect(extra == ["1=Hello, archive (its compression is damaged: more bytes follow its end)"])
  }

  @Test(arguments: ["BZh", "BZhello world, a text", "BZh91AY&SX", "\u{1F}"])
  func `a text that begins like compression is a document`(text: String) throws {
    #expect(read(try folder.write("1", text.utf8)) == ["1=\(text)"])
  }

  @Test func `a compressed archive with a wrong sum has its files, and ends with the cause`() throws {
    // A tar archive with the file a, whose text is A.
    var bytes = Self.bytes(
      "H4sIAAAAAAACA+3OuQ2AMBAEwCuFEoxk2TGluAWe/jFEiBwkxEyyp032WjwvdSXnM7t7duPlPvqSao0hvfBbbMva5j4Z/zQFAAAAAAAAAAAAX7QDJjqvuAAoAAA="
    )
    bytes[bytes.count - 8] ^= 1
    #expect(read(try folder.write("x", bytes)) == ["x/a=A", "x: its compression is damaged"])
  }

  @Test func `the files of an archive are read, and links, folders and hidden files are not`() throws {
    let archive = TestTar.archive([
      TestTar.member("feeds/", [], type: "5"), TestTar.member("feeds/a.xml", "A".utf8),
      TestTar.member("link", [], type: "2"), TestTar.member("../../b.xml", "B".utf8),
      TestTar.member("feeds/._a.xml", "hidden".utf8), TestTar.member("c.gz", Self.gzip),
    ])
    let path = try folder.write("x.tar", archive)
    #expect(read(path) == ["x.tar/feeds/a.xml=A", "x.tar/../../b.xml=B", "x.tar/c.gz=Hello, archive"])
    // Nothing is written.
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["x.tar"])
  }

  @Test func `long names of pax and GNU, and sizes of pax and in binary, are understood`() throws {
    // The header has the first 100 bytes of a long name, here with a slash at their end.
    let long = String(repeating: "n", count: 99) + "/" + String(repeating: "n", count: 50)
    let archive = TestTar.archive([
      TestTar.member("pax", "160 path=\(long)\n".utf8, type: "x"),
      TestTar.member(String(long.prefix(100)), "A".utf8),
      TestTar.member("././@LongLink", "\(long)2\0".utf8, type: "L"),
      TestTar.member(String(long.prefix(100)), "B".utf8),
      TestTar.member("pax", "10 size=3\n".utf8, type: "x"),
      TestTar.member("c", "CCC".utf8, size: "00000000000"),
      TestTar.member("d", "D".utf8),
    ])
    #expect(
      read(try folder.write("x.tar", archive)) == [
        "x.tar/\(long)=A", "x.tar/\(long)2=B", "x.tar/c=CCC", "x.tar/d=D",
      ])
  }

  @Test(arguments: [
    ("28 size=9223372036854775807\n", "the archive is damaged"), ("18 size=999999999\n", "cut off here"),
  ])
  func `a file that states more bytes than its archive has ends with the cause`(size: String, cause: String)
    throws
  {
    let archive = TestTar.archive([
      TestTar.member("pax", size.utf8, type: "x"), TestTar.member("a", "A".utf8),
    ])
    let found = read(try folder.write("x.tar", archive))
    #expect(found.count == 1 && found[0].contains(cause), "\(found)")
  }

  @Test func `of an archive that is cut, the files before the cut are read, and one line has the cause`()
    throws
  {
    let first = TestTar.member("a", "A".utf8)
    let second = TestTar.member("b", [UInt8](repeating: 66, count: 3000))
    #expect(
      read(try folder.write("x.tar", first + second.prefix(700)))
        == ["x.tar/a=A", "x.tar/b=188 bytes (the archive is cut off here)"])
    #expect(
      read(try folder.write("x.tar", first + second.prefix(300)))
        == ["x.tar/a=A", "x.tar: the archive is cut off here"])
    let doubt =
      "x.tar? the blocks that mark the end of the archive are missing; if it was cut off, files are missing"
    #expect(read(try folder.write("x.tar", first)) == ["x.tar/a=A", doubt])
    let garbage = [UInt8](repeating: 1, count: 512)
    #expect(read(try folder.write("x.tar", first + garbage + second)).count == 2)
  }

  @Test(arguments: [("?", "0000644"), ("0", "mode   "), ("0", "-----")] as [(Unicode.Scalar, String)])
  func `an archive whose first header has a right sum and wrong fields is refused`(
    type: Unicode.Scalar, mode: String
  ) throws {
    let archive = TestTar.archive([TestTar.member("a", "A".utf8, type: type, mode: mode)])
    let found = read(try folder.write("x.tar", archive))
    #expect(found.count == 1 && found[0].hasPrefix("x.tar"), "\(found)")
  }

  @Test func `a large file of an archive is read to its end, or skipped`() throws {
    let large = TestTar.member("a", [UInt8](repeating: 65, count: 3_000_001))
    let path = try folder.write("x.tar", TestTar.archive([large, TestTar.member("b", "B".utf8)]))
    #expect(read(path) == ["x.tar/a=3000001 bytes", "x.tar/b=B"])
    let reader = InputReader([path])
    var names: [String] = []
    while case .document(let document)? = reader.next() { names.append(short(document.name)) }
    #expect(names == ["x.tar/a", "x.tar/b"])
  }

  @Test func `sparse files of an archive are skipped, each with the cause, and the others are read`() throws {
    // The map of the second continues in a block after the header.
    var continued = TestTar.member("s2", "12345".utf8, type: "S", isContinued: true)
    continued.insert(contentsOf: [UInt8](repeating: 0, count: 512), at: 512)
    let pax =
      "22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n27 GNU.sparse.name=dir/big\n28 GNU.sparse.realsize=1005\n"
    // The map fills the first block of the content.
    let map = Array("1\n1000\n5\n".utf8)
    let archive = TestTar.archive([
      TestTar.member("a", "A".utf8), TestTar.member("s1", "12345".utf8, type: "S"), continued,
      TestTar.member("pax", pax.utf8, type: "x"),
      TestTar.member(
        "GNUSparseFile.0/big", map + [UInt8](repeating: 0, count: 512 - map.count) + "12345".utf8),
      TestTar.member("b", "B".utf8),
    ])
    let cause = "a sparse file of the archive, which is not read"
    #expect(
      read(try folder.write("x.tar", archive)) == [
        "x.tar/a=A", "x.tar/s1: \(cause)", "x.tar/s2: \(cause)", "x.tar/dir/big: \(cause)", "x.tar/b=B",
      ])
  }

  // Files a.xml, d/ü.xml, .h/x, and a symbolic link.
  private static let zip = bytes(
    """
    UEsDBAoAAAAAAAZzfV2LntnTAQAAAAEAAAAFAAAAYS54bWxBUEsDBAoAAAAAAAZzfV0AAAAAAAAAAAAAAAACAAAAZC9QSwMECgAA\
    AAAABnN9XTHP0EoBAAAAAQAAAAgAAABkL8O8LnhtbEJQSwMECgAAAAAABnN9XQAAAAAAAAAAAAAAAAMAAAAuaC9QSwMECgAAAAAA\
    BnN9XecGa5EBAAAAAQAAAAQAAAAuaC94aFBLAwQKAAAAAAAGc31dnHAo7AUAAAAFAAAABAAAAGxpbmthLnhtbFBLAQIeAwoAAAAA\
    AAZzfV2LntnTAQAAAAEAAAAFAAAAAAAAAAEAAACkgQAAAABhLnhtbFBLAQIeAwoAAAAAAAZzfV0AAAAAAAAAAAAAAAACAAAAAAAA\
    AAAAEADtQSQAAABkL1BLAQIeAwoAAAAAAAZzfV0xz9BKAQAAAAEAAAAIAAAAAAAAAAEAAACkgUQAAABkL8O8LnhtbFBLAQIeAwoA\
    AAAAAAZzfV0AAAAAAAAAAAAAAAADAAAAAAAAAAAAEADtQWsAAAAuaC9QSwECHgMKAAAAAAAGc31d5wZrkQEAAAABAAAABAAAAAAA\
    AAABAAAApIGMAAAALmgveFBLAQIeAwoAAAAAAAZzfV2ccCjsBQAAAAUAAAAEAAAAAAAAAAAAAAD/oa8AAABsaW5rUEsFBgAAAAAG\
    AAYALgEAANYAAAAAAA==
    """)
  // Files a.xml and d/ü.xml.
  private static let sevenZip = bytes(
    """
    N3q8ryccAARWWDB2bQAAAAAAAAAhAAAAAAAAAKZpJWYBAAFBQgAAAIEzB64P2rHI9cJHeTuquUIETVslntxF05XE2gHtd2Uk2dA4\
    AGZ1HgW8TsHkmFwCnJJfppNJboWeRN0fH8i59XIePdNQaVEzMQJS7WMck929S+ReQlO0RPMkzLSCxE4MjMDIAAAAFwYGAQlnAAcL\
    AQABIwMBAQVdABAAAAyAggoBfJH90QAA
    """)
  // The file a.xml, with a password.
  private static let encryptedZip = bytes(
    """
    UEsDBAoACQAAAAZzfV2LntnTDQAAAAEAAAAFAAAAYS54bWw6yarMidlXps15p3vDUEsHCIue2dMNAAAAAQAAAFBLAQIeAwoACQAA\
    AAZzfV2LntnTDQAAAAEAAAAFAAAAAAAAAAEAAACkgQAAAABhLnhtbFBLBQYAAAAAAQABADMAAABAAAAAAAA=
    """)

  @Test func `the files of zip and 7z archives are read, and links, folders and hidden files are not`() throws
  {
    #expect(read(try folder.write("x", Self.zip)) == ["x/a.xml=A", "x/d/ü.xml=B"])
    #expect(read(try folder.write("x", Self.sevenZip)) == ["x/a.xml=A", "x/d/ü.xml=B"])
    let nested = TestTar.archive([TestTar.member("in.zip", Self.zip), TestTar.member("in.7z", Self.sevenZip)])
    let cause = "an archive in an archive; unpack the outer one first"
    #expect(read(try folder.write("x.tar", nested)) == ["x.tar/in.zip: \(cause)", "x.tar/in.7z: \(cause)"])
  }

  /// A cpio archive in the format of SVR4, cpio(5).
  private static func cpio(_ files: [(name: String, text: String)]) -> [UInt8] {
    var archive: [UInt8] = []
    func pad() { archive += Array(repeating: 0, count: (4 - archive.count % 4) % 4) }
    for (number, (name, text)) in (files + [("TRAILER!!!", "")]).enumerated() {
      let fields = [number + 1, 0o100644, 0, 0, 1, 0, text.utf8.count, 0, 0, 0, 0, name.utf8.count + 1, 0]
      archive += Array("070701".utf8)
      for field in fields {
        let digits = String(field, radix: 16, uppercase: true)
        archive += Array(repeating: UInt8(ascii: "0"), count: 8 - digits.utf8.count) + Array(digits.utf8)
      }
      archive += Array(name.utf8) + [0]
      pad()
      archive += Array(text.utf8)
      pad()
    }
    return archive
  }

  @Test func `the files of a cpio archive are read, also from a pipe`() throws {
    let archive = Self.cpio([("a.xml", "A"), ("d/b.xml", "BB")])
    #expect(read(try folder.write("x", archive)) == ["x/a.xml=A", "x/d/b.xml=BB"])
    let (path, descriptor) = try pipe(archive)
    close(descriptor)
    #expect(read(path).map { $0.replacing("\(path)/", with: "") } == ["a.xml=A", "d/b.xml=BB"])
  }

  @Test func `a zip archive is read from a pipe, and a 7z archive is refused there`() throws {
    for (bytes, found) in [
      (Self.zip, ["a.xml=A", "d/ü.xml=B"]),
      (Self.sevenZip, ["a 7z archive, which is read only as a file of its own; unpack it first"]),
    ] {
      let (path, descriptor) = try pipe(bytes)
      close(descriptor)
      let parts = read(path).map { $0.replacing("\(path)/", with: "").replacing("\(path): ", with: "") }
      #expect(parts.starts(with: found), "\(parts)")
    }
  }

  @Test func `a document that is a zip archive is refused as a whole`() throws {
    // A zip archive with the empty file "mimetype", stored.
    let header: [UInt8] = [0x50, 0x4B, 3, 4, 10] + Array(repeating: 0, count: 21) + [8, 0, 0, 0]
    let found = read(try folder.write("x", header + Array("mimetype".utf8)))
    #expect(found == ["x: a packaged document, such as .docx, .odt or .epub; it is not an archive"])
  }

  @Test func `encrypted files of an archive are not read, with the way to read them`() throws {
    #expect(
      read(try folder.write("x", Self.encryptedZip))
        == ["x/a.xml: encrypted; unpack the archive with its password first"])
  }

  @Test func `a zip archive that is cut or damaged ends with the cause`() throws {
    #expect(
      read(try folder.write("x", Self.zip.prefix(120)))
        == ["x/a.xml=A", "x/d/ü.xml=B", "x: the archive is cut off here"])
    var damaged = Self.zip
    damaged[35] ^= 1
    let found = read(try folder.write("x", damaged))
    #expect(found.count == 2 && found[0].contains("cannot be unpacked (ZIP bad CRC"), "\(found)")
    #expect(found.last == "x/d/ü.xml=B")
  }

  @Test func `a zip archive whose index is damaged is read from its beginning, with a doubt`() throws {
    let start = try #require(Self.zip.indices.first { Self.zip[$0...].starts(with: [0x50, 0x4B, 1, 2]) })
    var damaged = Self.zip
    damaged[start + 2] = 7
    let found = read(try folder.write("x", damaged))
    #expect(found.starts(with: ["x/a.xml=A", "x/d/ü.xml=B"]), "\(found)")
    #expect(
      found.last == "x? the archive's index is damaged; its files were read from the beginning to the end")
  }

  @Test func `files whose names have no known encoding keep different names`() throws {
    // Two names that are marked as UTF-8, and are not.
    let zip = Self.bytes(
      """
      UEsDBBQAAAgAAAAAIQCLntnTAQAAAAEAAAAGAAAA//4ueG1sQVBLAwQUAAAIAAAAACEAi57Z0wEAAAABAAAABgAAAP7+LnhtbEFQSwEC\
      FAMUAAAIAAAAACEAi57Z0wEAAAABAAAABgAAAAAAAAAAAAAApIEAAAAA//4ueG1sUEsBAhQDFAAACAAAAAAhAIue2dMBAAAAAQAAAAYA\
      AAAAAAAAAAAAAKSBJQAAAP7+LnhtbFBLBQYAAAAAAgACAGgAAABKAAAAAAA=
      """)
    #expect(read(try folder.write("x", zip)) == ["x/?1=A", "x/?2=A"])
  }

  @Test func `a tar archive whose first file is called mimetype is read`() throws {
    let archive = TestTar.archive([TestTar.member("mimetype", "A".utf8)])
    #expect(read(try folder.write("x.tar", archive)) == ["x.tar/mimetype=A"])
  }

  @Test func `a document that is compressed many times is refused`() throws {
    // The letter a, compressed five times with Zstandard.
    let bytes = Self.bytes("KLUv/QRYeQEAKLUv/QRYFQEA0Ci1L/0EWNkAAHEJAABhW26MqcBE8/joSZ39AgCACA7lCJQQc4zeQQpB")
    #expect(read(try folder.write("x", bytes)) == ["x: compressed more than 3 times"])
  }

  /// The headers of frames, with the option of zstd that decodes them.
  @Test(
    arguments: [
      // A window of 2 GiB.
      ([0x00, 0xA8, 0x01, 0x00, 0x00], "--long=31"),
      // A content of 1 GiB in one segment.
      ([0xA0, 0x00, 0x00, 0x00, 0x40, 0x01], "--long=31"),
      // A dictionary with the number 7.
      ([0x01, 0x58, 0x07, 0x01, 0x00, 0x00], "-D DICTIONARY"),
    ] as [([UInt8], String)])
  func `a frame that needs more than the decoder allows is refused with the way to read it`(
    header: [UInt8], option: String
  ) throws {
    let found = read(try folder.write("1", [0x28, 0xB5, 0x2F, 0xFD] + header))
    #expect(found.count == 1 && found[0].contains("zstd -d \(option)"), "\(found)")
  }

  @Test func `a named pipe is refused without waiting for a writer`() throws {
    let path = folder.file("named")
    try #require(unsafe mkfifo(path, 0o600) == 0)
    #expect(
      read(path) == ["named: a named pipe, which is not read; write - instead, and pass it as standard input"]
    )
  }

  /// Opens a pipe that has some bytes and a writer, which is `descriptor`.
  private func pipe(_ bytes: [UInt8]) throws -> (path: String, descriptor: Int32) {
    var ends: [Int32] = [0, 0]
    // A process that another test starts must not keep the writer.
    try #require(unsafe pipe2(&ends, O_CLOEXEC) == 0)
    write(bytes, to: ends[1])
    return ("/dev/fd/\(ends[0])", ends[1])
  }

  private func write(_ bytes: [UInt8], to descriptor: Int32) {
    #expect(unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
  }

  private func text(_ reader: InputReader) throws -> String {
    guard case .document(let document)? = reader.next() else { return "no document" }
    var text = document.head.flatMap(\.self)
    do {
      while let piece = try document.rest?.next(), !piece.isEmpty { text += piece }
    } catch {
      text += " (\(error.cause))".utf8
    }
    return String(decoding: text, as: UTF8.self)
  }

  @Test func `a pipe without bytes ends when the reader must end`() throws {
    let (path, descriptor) = try pipe(Array("first".utf8))
    #expect(try text(InputReader([path]) { true }) == "first (stopped before its end)")
    close(descriptor)
  }
}
