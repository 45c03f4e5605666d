import Foundation
import LoopbackServer
import TestSupport

/// Rounds in which all feeds become due again, except those that are paused.
final class PoliteRounds {
  private let publishers: [Publisher]
  private let store: any SharedStore
  private let folder: TemporaryFolder
  /// The publishers that have asked for a pause of an hour in an earlier round.
  private var paused: Set<Int> = []
  /// True if a feed may have got another address in this round.
  private var isRenamed = false
  private var (runs, kills, stops, crashes, cuts, partitions, requests) = (0, 0, 0, 0, 0, 0, 0)

  init(_ store: any SharedStore, _ folder: TemporaryFolder) throws {
    (self.store, self.folder) = (store, folder)
    let large = try [60, 40, 20].map { try Publisher(feeds: $0, target: nil) }
    // The first feeds of the others redirect to the largest publisher, or to one that will reject requests.
    let small = try (0..<30).map { try Publisher(feeds: 8, target: large[$0 % 2].server.url("/target")) }
    publishers = large + small
  }

  func stop() { for publisher in publishers { publisher.server.stop() } }

  var summary: String {
    """
    \(runs) runs, \(kills) kills, \(stops) stops, \(crashes) crashes of the server, \(cuts) cuts, \
    \(partitions) partitions, \(requests) requests
    """
  }

  /// What is special about a round.
  private enum Kind: Equatable {
    case usual
    /// One publisher rejects all requests, and asks for a pause of an hour.
    case rejects
    /// The network between the server and one importer is silent for a while.
    case partition(Silence)
    /// Importers poll also feeds that are not due.
    case byHand
    /// The clock of one importer is a day ahead or behind. For it, pauses are over or feeds are due again.
    case wrongClock(Int)

    init(_ number: Int) {
      self =
        switch number % 10 {
        case 4: .rejects
        case 7: .byHand
        case 2: .partition(number % 20 == 2 ? .endsSession : .isBrief)
        case 6 where number % 20 == 6: .partition(.outlastsClaims)
        // The next round has another store, without dates of this clock.
        case 0: .wrongClock(number % 20 == 0 ? 86_400 : -86_400)
        default: .usual
        }
    }

    /// The publisher that rejects all requests.
    static let rejecting = 1
  }

  /// What happens while a network is silent.
  private enum Silence {
    /// Nothing: it ends before others have the claims of the importer.
    case isBrief
    /// The server ends the session, so that others have the claims.
    case endsSession
    /// The claims expire, while the importer has answers that it cannot save.
    case outlastsClaims
  }

  func play(_ number: Int, _ random: inout SeededGenerator) async throws -> [String] {
    if number % 10 == 1 { try await beginStore() }
    let kind = Kind(number)
    for (place, publisher) in publishers.enumerated() {
      publisher.begin(round: number, rejects: kind == .rejects && place == Kind.rejecting)
    }
    try makeDue()
    isRenamed = false
    var problems: [String] = []
    if case .partition(let silence) = kind, let (address, relay) = try store.network() {
      problems += try await divide(silence, address, relay)
    } else {
      try await disturb(kind, &random)
    }
    // The server may still recover, for longer than a run waits.
    _ = try store.texts("SELECT 1")
    // What killed runs held is free at once.
    let status = try await start(["fetch", "--due", "-q"]).end()
    if status != 0, kind != .rejects {
      problems.append("a clean fetch ended with \(status): \(try folder.messages())")
    }
    problems += try check(number, kind)
    if kind == .rejects { paused.insert(Kind.rejecting) }
    return problems
  }

  private func beginStore() async throws {
    try store.remove()
    paused = []
    // Publishers alternate, so that parts have several of them.
    let addresses = (0..<60).flatMap { place in
      publishers.compactMap { place < $0.feeds ? $0.addresses[place] : nil }
    }
    _ = try await start(["region", "add", "world"] + addresses).end()
  }

  /// Makes all feeds due. Pauses stay.
  private func makeDue() throws {
    try store.execute("UPDATE feed SET next_fetch = 0")
    try store.execute("DELETE FROM \"fetch\"")
  }

  /// Runs three to five importers and another command at once; some are killed, or stopped for a moment. One has other settings.
  private func disturb(_ kind: Kind, _ random: inout SeededGenerator) async throws {
    var programs: [Command.Running] = []
    let victim = publishers[0].addresses.randomElement(using: &random) ?? ""
    let others = [
      ["feed", "rename", victim, "--title", "title"], ["feed", "remove", victim], ["list", "world"],
      ["feed", "rename", victim, publishers[2].server.url("/renamed")], ["stats"],
    ]
    for place in 0..<Int.random(in: 3...5, using: &random) {
      let jobs = [1, 16, 256].randomElement(using: &random) ?? 16
      let limits = place == 0 ? ["--per-host", "2"] : []
      let arguments = kind == .byHand ? ["fetch", "world"] : ["fetch", "--due"]
      var clock = 0
      if case .wrongClock(let seconds) = kind, place == 1 { clock = seconds }
      var address: String?
      if place == 2 {
        address = try store.unreliableAddress(&random)
        if address != nil { cuts += 1 }
      }
      programs.append(
        try start(arguments + ["-q", "--jobs", "\(jobs)"] + limits, address: address, clock: clock))
      try await Task.sleep(for: .milliseconds(Int.random(in: 0...30, using: &random)))
    }
    let other = others.randomElement(using: &random) ?? ["stats"]
    isRenamed = other.last?.hasSuffix("/renamed") ?? false
    programs.append(try start(other))
    runs += programs.count
    for program in programs where Int.random(in: 0..<3, using: &random) > 0 {
      // The pause decides where the signal hits; no result depends on it.
      try await Task.sleep(for: .milliseconds(Int.random(in: 0...200, using: &random)))
      if Int.random(in: 0..<4, using: &random) == 0 {
        program.signal(SIGSTOP)
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...60, using: &random)))
        program.signal(SIGCONT)
        stops += 1
      } else {
        program.signal(SIGKILL)
        kills += 1
      }
    }
    if Int.random(in: 0..<3, using: &random) == 0, try store.crash(&random) { crashes += 1 }
    for program in programs { _ = await program.end() }
  }

  /// Runs an importer whose network to the server falls silent when each publisher has a request, and answers it slowly; and another
  /// importer, which takes over.
  ///
  /// The times are those of the program: it ends its transfers at the latest 14 s after it has heard from the server, which ends the
  /// session later than that, and others wait 5 s longer.
  private func divide(_ silence: Silence, _ address: String, _ relay: Relay) async throws -> [String] {
    partitions += 1
    let pace = Publisher.Pace()
    for publisher in publishers { publisher.slowDown(to: pace) }
    let divided = try start(
      ["fetch", "--due", "-q", "--jobs", "256"], address: address, errors: Self.errorsOfDivided)
    let began = ContinuousClock.now
    // The answers would be given up after 20 s.
    let polled = publishers.indices.filter { !paused.contains($0) }
    while polled.contains(where: { publishers[$0].requests.isEmpty }),
      ContinuousClock.now - began < .seconds(10)
    {
      try await Task.sleep(for: .milliseconds(20))
    }
    relay.beginSilence()
    var problems: [String] = []
    switch silence {
    case .isBrief:
      try await Task.sleep(for: .seconds(3))
    case .endsSession:
      try await Task.sleep(for: .seconds(10))
      pace.middle.open()
      try await Task.sleep(for: .seconds(5))
      relay.leaveServer()
      problems += try await takeOver()
      problems += try store.texts(
        "SELECT origin || ' is claimed by a run without a network' FROM publisher_claim")
    case .outlastsClaims:
      try await Task.sleep(for: .seconds(3))
      pace.middle.open()
      pace.end.open()
      try await Task.sleep(for: .seconds(13))
      // As if the silence had lasted for as long as a claim.
      try store.execute("UPDATE publisher_claim SET expiry = extract(epoch FROM now()) - 1")
      problems += try await takeOver()
    }
    relay.endSilence()
    pace.middle.open()
    pace.end.open()
    let status = await divided.end()
    if status != 0 {
      let cause = try folder.messages(Self.errorsOfDivided)
      problems.append("the importer without a network ended with \(status): \(cause)")
    }
    relay.stop()
    runs += 1
    return problems
  }

  /// Runs an importer that takes over the claims of one without a network.
  private func takeOver() async throws -> [String] {
    var problems: [String] = []
    let other = try start(["fetch", "--due", "-q"])
    let began = ContinuousClock.now
    if await other.end() != 0 { problems.append("an importer has failed: \(try folder.messages())") }
    let time = (ContinuousClock.now - began) / .seconds(1)
    if time > 15 { problems.append("claims of a run without a network were free after \(Int(time)) s") }
    runs += 1
    return problems
  }

  private func check(_ number: Int, _ kind: Kind) throws -> [String] {
    var hasWrongClock = false
    if case .wrongClock = kind, !store.hasClock { hasWrongClock = true }
    var problems: [String] = []
    for (place, publisher) in publishers.enumerated() {
      let seen = publisher.requests
      requests += seen.values.reduce(0, +)
      let most = publisher.server.mostConnectionsAtOnce
      if most > 4 { problems.append("publisher \(place) had \(most) connections at once") }
      if paused.contains(place), !seen.isEmpty, !hasWrongClock {
        problems.append("publisher \(place) got \(seen.values.reduce(0, +)) requests in its pause")
      }
    }
    problems += try store.damage()
    problems += try store.texts("SELECT origin || ' is claimed' FROM publisher_claim")
    // Each answer with the validator of this round has brought its article.
    problems += try store.texts(
      """
      SELECT url || ' has no article of this round' FROM feed f WHERE etag = '"\(number)"'
      AND NOT EXISTS (SELECT 1 FROM article WHERE feed_id = f.id AND guid = '\(Publisher.guid(ofRound: number))')
      """)
    guard !hasWrongClock, kind != .byHand else { return problems }
    // An answer that was committed makes the feed not due. A second answer in the round would be a second request. A feed that
    // gets another address is due again.
    problems += try store.texts(
      """
      SELECT f.url || ' has ' || count(*) || ' answers in one round' FROM "fetch" l JOIN feed f ON f.id = l.feed_id
      GROUP BY f.id, f.url HAVING count(*) > CASE WHEN \(isRenamed) AND f.url LIKE '%/renamed' THEN 2 ELSE 1 END
      """)
    let unpolled = try store.texts(
      """
      SELECT url FROM feed f WHERE EXISTS (SELECT 1 FROM membership WHERE feed_id = f.id)
      AND NOT EXISTS (SELECT 1 FROM "fetch" WHERE feed_id = f.id)
      """)
    let isExcused = { (url: String) in
      // A redirect to a publisher that is paused has no answer.
      url.contains("/away/") && (kind == .rejects || !self.paused.isEmpty)
        || self.publishers.indices.contains {
          (self.paused.contains($0) || $0 == Kind.rejecting && kind == .rejects)
            && url.hasPrefix(self.publishers[$0].server.url(""))
        }
    }
    return problems + unpolled.filter { !isExcused($0) }.map { "\($0) was not polled" }
  }

  /// The name of the file with the messages of an importer without a network, to which no other one writes.
  private static let errorsOfDivided = "err-divided"

  private func start(
    _ arguments: [String], address: String? = nil, clock: Int = 0, errors file: String = "err"
  ) throws -> Command.Running {
    var environment = folder.environment(store: address ?? store.address)
    environment["CRASH_CLOCK"] = "\(clock)"
    return try folder.start(arguments, environment, errors: file)
  }
}
