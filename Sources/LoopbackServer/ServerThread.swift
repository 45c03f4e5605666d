import Glibc

/// A thread that can be joined.
@safe final class ServerThread: Sendable {
  private let thread: pthread_t

  init(_ body: @escaping @Sendable () -> Void) throws(ServerError) {
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
        unsafe Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
    guard code == 0 else {
      unsafe box.release()
      throw .system("pthread_create", code)
    }
    self.thread = thread
  }

  func join() {
    _ = pthread_join(thread, nil)
  }
}
