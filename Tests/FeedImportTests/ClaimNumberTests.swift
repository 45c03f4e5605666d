@testable import FeedImport
import TestSupport
import Testing

@Suite struct ClaimNumberTests {
  @Test func `a number of this process is of a living one, and is met only once`() {
    let numbers = (0..<100).map { _ in ClaimNumber.make() }
    #expect(numbers.allSatisfy { $0 > 0 && !ClaimNumber.isOfDead($0) })
    #expect(Set(numbers).count == 100)
  }

  @Test func `a number of a process that has ended is of a dead one`() async throws {
    let number = ClaimNumber.make()
    let ended = try await Command.run("sh", ["-c", "echo $$"]).out
    let process = try #require(Int64(ended.trimmingSuffix(while: \.isNewline)))
    #expect(ClaimNumber.isOfDead((number >> 22) << 22 | process))
  }

  @Test func `a number that this process has not made is of one before it`() {
    let number = ClaimNumber.make()
    #expect(ClaimNumber.isOfDead(number ^ 1 << 45))
  }

  @Test(arguments: [0, -1, 1, .max] as [Int64]) func `of a number from elsewhere nothing is told`(
    number: Int64
  ) {
    #expect(!ClaimNumber.isOfDead(number))
  }

  @Test func `of a number of another machine nothing is told`() {
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
