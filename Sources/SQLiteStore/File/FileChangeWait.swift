internal import Foundation
internal import Glibc
internal import ManagedContext

/// Lets a thread sleep until a store's file or its log changes, an interval has passed, or the wait is ended.
final class FileChangeWait: Sendable {
  /// The reason for waking the thread.
  enum Cause {
    /// The file or its log was written, created or deleted.
    case change
    /// The interval passed without a change.
    case interval
  }

  /// An inotify(7) watch of the folder, because the log may be deleted and created again; nil if inotify is
  /// unavailable.
  private let events: Descriptor?
  /// One end of a socket pair. It becomes readable when ``end()`` is called.
  private let ending: Descriptor
  private let endingWriter: Descriptor
  /// The names of the file and its log in the folder.
  private let names: [[UInt8]]
  private let interval: Int32

  /// Begins to listen: no later change is missed.
  ///
  /// - Parameters:
  ///   - path: The store's file.
  ///   - interval: The longest time without waking, in seconds.
  ///   - usesEvents: False to use only the interval.
  init(path: String, interval: TimeInterval, usesEvents: Bool) throws(StoreError) {
    let file = (ReadOnlyFile.resolved(path) as NSString).lastPathComponent
    names = [Array(file.utf8), Array("\(file)-wal".utf8)]
    self.interval = Int32(max(1, min(interval * 1000, 86_400_000)))
    var pair: [Int32] = [-1, -1]
    // The Glibc module contains neither pipe2 nor eventfd, and child processes would inherit the descriptors of pipe.
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

  /// Ends the wait. Callable from any thread.
  func end() {
    // One byte is enough, because it is never read: the socket stays readable.
    _ = unsafe write(endingWriter.number, [0], 1)
  }

  /// Sleeps until a change or the interval.
  ///
  /// - Returns: The reason; nil if the wait was ended.
  func next() -> Cause? {
    while true {
      switch sleep(milliseconds: interval, events) {
      case .ended: return nil
      case .passed: return .interval
      case .woken:
        if isOurs() { return .change }
        // Another file of the folder is being written, perhaps continuously.
        if !rest(milliseconds: 50) { return nil }
      }
    }
  }

  /// Sleeps regardless of changes; changes during the sleep are reported afterwards.
  ///
  /// - Returns: False if the wait was ended.
  func rest(milliseconds: Int32) -> Bool {
    guard case .passed = sleep(milliseconds: milliseconds, nil) else { return false }
    return true
  }

  private enum Waking {
    case ended, woken, passed
  }

  private func sleep(milliseconds: Int32, _ events: Descriptor?) -> Waking {
    // poll(2) ignores a negative descriptor.
    var waited = [
      pollfd(fd: ending.number, events: Int16(POLLIN), revents: 0),
      pollfd(fd: events?.number ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    let count = unsafe poll(&waited, nfds_t(waited.count), milliseconds)
    if waited[0].revents != 0 { return .ended }
    if count > 0 { return .woken }
    // An interrupted call is treated as a passed interval. This thread receives no signals except from a debugger.
    return .passed
  }

  /// Reads all available events, and returns whether one of them concerns the store's files.
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

/// The events in bytes read from inotify(7).
private struct InotifyEvents: Sequence, IteratorProtocol {
  struct Event {
    /// True if the kernel's queue overflowed, so that events were lost.
    let isOverflow: Bool
    let name: [UInt8]
  }

  private var bytes: ArraySlice<UInt8>

  init(bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
  }

  mutating func next() -> Event? {
    // struct inotify_event contains wd, mask, cookie and len (32 bits each), followed by the name, padded with zeros to
    // len.
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

/// An open file descriptor, closed in deinit.
private final class Descriptor: Sendable {
  let number: Int32

  /// Creates the owner of a descriptor; nil for the negative result of a failed call.
  init?(_ number: Int32) {
    guard number >= 0 else { return nil }
    self.number = number
  }

  deinit { close(number) }
}
