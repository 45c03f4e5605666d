@testable import FeedImport
import TestSupport
import Testing

@Suite struct ClaimNumberTests {
  @Test func `a number of this process identifies a living process, and is unique`() {
    let numbers = (0..<100).map { _ in ClaimNumber.make() }
    #expect(numbers.allSatisfy { $0 > 0 && !ClaimNumber.isOfDead($0) })
    #expect(Set(numbers).count == 100)
  }

  @Test func `a number of a process that has ended identifies a dead process`() async throws {
    let number = ClaimNumber.make()
    let ended = try await Command.run("sh", ["-c", "echo $$"]).out
    let process = try #require(Int64(ended.trimmingSuffix(while: \.isNewline)))
    #expect(ClaimNumber.isOfDead((number >> 22) << 22 | process))
  }

  @Test func `a number with this process's ID that it did not create belongs to an earlier process`() {
    let number = ClaimNumber.make()
    #expect(ClaimNumber.isOfDead(number ^ 1 << 45))
  }

  @Test(arguments: [0, -1, 1, .max] as [Int64]) func `the state of a number from elsewhere is unknown`(
    number: Int64
  ) {
    #expect(!ClaimNumber.isOfDead(number))
  }

  @Test func `the state of a number of another machine is unknown`() {
    #expect(!ClaimNumber.isOfDead(ClaimNumber.make() ^ 1 << 30))
  }
}

extension String {
  fileprivate func trimmingSuffix(while isUnwanted: (Character) -> Bool) -> String {
    var text = self
    while let last = text.last, isUnwanted(last) { text.removeLast() }
    return text
  }
}
