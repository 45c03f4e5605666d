import Threading

/// Runs a block on another thread while the caller waits.
enum HandOver {
  /// Passes a block to `enqueue` and waits for its result.
  ///
  /// No reference to the block exists after the return, so the block may be non-escaping.
  static func runAndWait<Value: Sendable>(
    _ block: @escaping @Sendable () -> Value, _ enqueue: (@escaping @Sendable () -> Void) -> Void
  ) -> Value {
    let result = Monitor<Value?>(nil)
    let held = Locked<(@Sendable () -> Value)?>(block)
    enqueue {
      guard let value = runAndRelease(held) else { return }
      result.update { $0 = value }
    }
    return result.wait { $0 }
  }

  /// A separate function that is not inlined, so that the block is released on its return, not when its
  /// caller ends.
  @inline(never)
  private static func runAndRelease<Value>(_ held: Locked<(@Sendable () -> Value)?>) -> Value? {
    let block = held.withLock { held in
      defer { held = nil }
      return held
    }
    return block?()
  }
}
