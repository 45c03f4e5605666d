internal import Inflating

/// A gzip source's decoded bytes (RFC 1952), from one or several members.
///
/// libarchive does not verify gzip checksums.
final class GzipBytes: ByteSource {
  private let source: any ByteSource
  private let inflater: Inflater

  init(_ source: any ByteSource) throws(InputFailure) {
    self.source = source
    do throws(Inflater.Failure) {
      inflater = try Inflater()
    } catch {
      throw InputFailure(error)
    }
  }

  func next() throws(InputFailure) -> [UInt8] {
    while true {
      do throws(Inflater.Failure) {
        let piece = try inflater.next()
        if !piece.isEmpty { return piece }
      } catch {
        throw InputFailure(error)
      }
      let input = try source.next()
      if input.isEmpty {
        guard inflater.isComplete else { throw .cutCompression }
        return []
      }
      inflater.add(input)
    }
  }
}

extension InputFailure {
  fileprivate static let cutCompression = InputFailure(.refused, "cut off: its compression is not complete")
  fileprivate static let damagedCompression = InputFailure(.refused, "its compression is damaged")
  static let outOfMemory = InputFailure(.system, "out of memory")

  fileprivate init(_ failure: Inflater.Failure) {
    switch failure {
    case .damaged: self = .damagedCompression
    case .continued: self.init(.refused, "its compression is damaged: more bytes follow its end")
    case .outOfMemory: self = .outOfMemory
    }
  }
}
