internal import Foundation
internal import ManagedContext

#if canImport(Glibc)
  internal import Glibc
#endif

/// Lets a thread sleep until a store's file or its log is written, a time has passed, or it is told to end.
final class FileChangeWait: Sendable {
  /// Why the thread was woken.
  enum Cause {
    /// The file or its log was written, made or deleted.
    case change
    /// Nothing happened for as long as was asked for.
    case interval
  }

  /// inotify(7) of the folder, because the log may be deleted and made again; nil where the system has none left.
  private let events: Descriptor?
  /// Two sockets that are joined: there is something to read from ``end()`` on.
  private let ending: Descriptor
  private let endingWriter: Descriptor
  /// The file and its log, in the folder.
  private let names: [[UInt8]]
  private let interval: Int32

  /// Begins to listen: nothing that happens from now on is missed.
  ///
  /// - Parameter interval: In seconds.
  init(path: String, interval: TimeInterval, usesEvents: Bool) throws(StoreError) {
    let file = (ReadOnlyFile.resolved(path) as NSString).lastPathComponent
    names = [Array(file.utf8), Array("\(file)-wal".utf8)]
    self.interval = Int32(max(1, min(interval * 1000, 86_400_000)))
    var pair: [Int32] = [-1, -1]
    // Neither pipe2 nor eventfd is in the Glibc module, and what pipe makes would leak into programs we start.
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &pair) == 0, let ending = Descriptor(pair[0]),
      let endingWriter = Descriptor(pair[1])
    else { throw .inputOutput("\(path): \(StoreFile.lastCause())") }
    (self.ending, self.endingWriter) = (ending, endingWriter)
    events = usesEvents ? Self.watch(ReadOnlyFile.folder(of: path)) : nil
  }

  private static func watch(_ folder: String) -> Descriptor? {
    guard let events = Descriptor(inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))) else { return nil }
    let kinds = UInt32(IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_TO)
    return unsafe inotify_add_watch(events.number, folder, kinds) >= 0 ? events : nil
  }

  /// Makes the thread end; any thread.
  func end() {
    // One byte is enough for ever: nobody reads it.
    _ = unsafe write(endingWriter.number, [0], 1)
  }

  /// Sleeps until there is something to look at.
  ///
  /// - Returns: Nil when the thread is to end.
  func next() -> Cause? {
    while true {
      switch sleep(milliseconds: interval, events) {
      case .ended: return nil
      case .passed: return .interval
      case .woken:
        if isOurs() { return .change }
        // Somebody writes another file of the folder, perhaps all the time.
        if !rest(milliseconds: 50) { return nil }
      }
    }
  }

  /// Sleeps through events, and forgets those that came meanwhile.
  ///
  /// - Returns: False when the thread is to end.
  func rest(milliseconds: Int32) -> Bool {
    guard case .passed = sleep(milliseconds: milliseconds, nil) else { return false }
    return true
  }

  private enum Waking {
    case ended, woken, passed
  }

  private func sleep(milliseconds: Int32, _ events: Descriptor?) -> Waking {
    // poll(2) passes over a descriptor below zero.
    var waited = [
      pollfd(fd: ending.number, events: Int16(POLLIN), revents: 0),
      pollfd(fd: events?.number ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    let count = unsafe poll(&waited, nfds_t(waited.count), milliseconds)
    if waited[0].revents != 0 { return .ended }
    if count > 0 { return .woken }
    // Interrupted, which is as good as an early look: a thread of ours gets no signals but a debugger's.
    return .passed
  }

  /// Reads all events that are there, and whether one of them is of the store's files.
  private func isOurs() -> Bool {
    guard let events else { return false }
    var isOurs = false
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { bytes in
        unsafe read(events.number, bytes.baseAddress, bytes.count)
      }
      guard count > 0 else { return isOurs }
      if isOurs { continue }
      isOurs = InotifyEvents(bytes: buffer[..<count]).contains { $0.isOverflow || names.contains($0.name) }
    }
  }
}

/// The events in what was read from inotify(7).
private struct InotifyEvents: Sequence, IteratorProtocol {
  struct Event {
    /// The kernel's queue was full: whatever happened then is unknown.
    let isOverflow: Bool
    let name: [UInt8]
  }

  private var bytes: ArraySlice<UInt8>

  init(bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
  }

  mutating func next() -> Event? {
    // struct inotify_event: wd, mask, cookie, len (32 bits each), then the name with zeros up to len.
    guard bytes.count >= 16 else { return nil }
    let (mask, length) = (number(at: 4), Int(number(at: 12)))
    let name = bytes.dropFirst(16).prefix(length).prefix { $0 != 0 }
    bytes = bytes.dropFirst(16 + length)
    return Event(isOverflow: mask & UInt32(IN_Q_OVERFLOW) != 0, name: Array(name))
  }

  private func number(at offset: Int) -> UInt32 {
    let start = bytes.startIndex + offset
    return unsafe bytes[start..<start + 4].withUnsafeBytes { unsafe $0.loadUnaligned(as: UInt32.self) }
  }
}

/// An open file descriptor, closed with its owner.
private final class Descriptor: Sendable {
  let number: Int32

  /// Nil for what a failed call returns.
  init?(_ number: Int32) {
    guard number >= 0 else { return nil }
    self.number = number
  }

  deinit { close(number) }
}
