import CFaultVFS
import Foundation
import TestSupport

/// Runs a scenario's command once, and replays a power failure after each of its changes.
struct PowerLossSweep: Sendable {
  let world: World
  /// The distance between the changes; 1 for all.
  let step: Int
  /// True for the control: a disk that syncs nothing. It must lose something, or the replay proves nothing.
  var syncsNothing = false

  struct Outcome: Sendable {
    /// The number of different disks that were checked.
    var disks = 0
    var problems: [String] = []
  }

  func run() async throws -> Outcome {
    let folder = try world.folder()
    var disk = try ReplayedDisk(folder: folder.path)
    let control = Fault(kind: FAULT_NO_SYNC, lasts: true).words(at: 1)
    let record = try TemporaryFolder()
    let run = try await world.run(
      in: folder, fault: syncsNothing ? control : nil, record: record.file("record"))
    try run.check()
    let changes = try ChangeRecord(path: record.file("record")).changes
    var outcome = Outcome()
    var seen: Set<Int> = []
    var random = SeededGenerator(seed: 1)
    for (number, change) in changes.enumerated() {
      disk.apply(change)
      let isLast = number == changes.count - 1
      guard isLast || number % step == 0 else { continue }
      for model in PowerLossModel.allCases {
        // In the same place, because a store has the paths of attached ones.
        try folder.clear()
        try disk.write(to: folder, model, &random)
        guard try seen.insert(World.hash(of: folder)).inserted || isLast else { continue }
        outcome.disks += 1
        let place =
          "\(world.scenario.name): power failure after change \(number + 1) of \(changes.count), \(model.rawValue)"
        outcome.problems += await problems(in: folder, isDone: isLast).map { "\(place): \($0)" }
      }
    }
    return outcome
  }

  /// - Parameter isDone: True after the last change: the program has reported success.
  private func problems(in folder: TemporaryFolder, isDone: Bool) async -> [String] {
    do {
      let check = StoreCheck(world: world)
      let left = try StoreContents(path: folder.file("news.sqlite"))
      var problems = check.problems(in: left)
      if isDone { problems += check.differences(left.data, "although the exit status was 0") }
      try await world.repair(in: folder).check()
      problems += check.differences(try StoreContents(path: folder.file("news.sqlite")), "after a clean run")
      return problems
    } catch {
      return ["\(error)"]
    }
  }
}
