extension TransferLoop {
  func watch(_ transfer: Transfer) {
    guard let deadline = transfer.deadline else { return }
    nextDeadline = nextDeadline.map { min($0, deadline) } ?? deadline
  }

  /// Reads the clock, and excludes an interruption from the transfers' limits, because their answers may have
  /// arrived during it.
  func readClock() {
    arrivals.now = now()
    guard let duration = interruptions.interruption(at: arrivals.now) else { return }
    for transfer in running.values { transfer.excuse(duration) }
  }

  /// Ends transfers that have exceeded their total timeout.
  func endOverdue() {
    let now = arrivals.now
    guard let next = nextDeadline, next <= now else { return }
    nextDeadline = nil
    for transfer in running.values where transfer.result == nil {
      guard let deadline = transfer.deadline else { continue }
      guard deadline <= now else {
        watch(transfer)
        continue
      }
      let seconds = transfer.request.limits.totalTimeout / .seconds(1)
      transfer.conclude(with: .timedOut(seconds: seconds, phase: transfer.phase), now: now)
      if let result = transfer.result { end(transfer, result) }
    }
  }

  /// Marks silent transfers, which stop counting towards the limit, if queued transfers could use their
  /// slots. Unmarks the transfers that have received data again.
  func countSilence() {
    for id in arrivals.awoken { queue.markActive(id) }
    arrivals.awoken.removeAll(keepingCapacity: true)
    guard queue.wantsSlots else { return silence.rest() }
    guard silence.isDue(at: arrivals.now) else { return }
    // A transfer that its sink has paused is held back by this process, not by its server.
    let watched = running.values.lazy.filter { $0.result == nil && !$0.isPaused && !$0.collector.isSilent }
    for id in silence.look(at: arrivals.now, lastSigns: watched.map { ($0.id, $0.collector.lastSign) }) {
      queue.markSilent(id)
      running[id]?.collector.fallSilent()
    }
  }

  /// Returns how long the loop may wait for the network, in milliseconds; libcurl shortens this by its own
  /// timers.
  func waitTime() -> Int32 {
    let longest = running.isEmpty ? Duration.seconds(60) : InterruptionWatch.longestWait
    let next = [nextDeadline, silence.nextLook].compactMap(\.self).min().map { $0 - now() } ?? longest
    // One millisecond is added so that the deadline has passed when the loop checks it.
    return Int32(max(0, min(longest, next) / .milliseconds(1)) + 1)
  }
}
