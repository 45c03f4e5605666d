import Threading

/// A block that another thread runs while the caller waits.
enum HandOver {
  /// Hands a block to `enqueue` and waits for its result.
  ///
  /// Nobody holds the block any more when this returns, so that it may be one that must not escape.
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

  /// A function of its own, and not inlined: the block is gone when it returns, not at the end of who calls it.
  @inline(never)
  private static func runAndRelease<Value>(_ held: Locked<(@Sendable () -> Value)?>) -> Value? {
    let block = held.withLock { held in
      defer { held = nil }
      return held
    }
    return block?()
  }
}
