import Glibc

/// A thread of our own that can be joined, which Foundation's can't.
@safe final class LoopThread: Sendable {
  private let thread: pthread_t

  /// Starts `body` on a new thread.
  init(_ body: @escaping @Sendable () -> Void) throws(DownloadError) {
    final class Box: Sendable {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    let box = unsafe Unmanaged.passRetained(Box(body))
    var thread = pthread_t()
    let code = unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        let box = unsafe Unmanaged<Box>.fromOpaque(context).takeRetainedValue()
        blockSignals()
        box.body()
        return nil
      }, box.toOpaque())
    guard code == 0 else {
      unsafe box.release()
      throw .failed(cause: "no thread could be started (error \(code))")
    }
    self.thread = thread
  }

  /// Waits for the thread's end; on the thread itself lets go of it instead.
  func join() {
    if isCurrent {
      _ = pthread_detach(thread)
    } else {
      _ = pthread_join(thread, nil)
    }
  }

  var isCurrent: Bool { pthread_equal(thread, pthread_self()) != 0 }
}

/// Leaves all signals to the program's other threads, and makes a write to a closed connection an error
/// instead of a SIGPIPE.
private func blockSignals() {
  var all = sigset_t()
  unsafe sigfillset(&all)
  unsafe pthread_sigmask(SIG_SETMASK, &all, nil)
}
