extension Sequence {
  /// Returns the elements in arrays of up to `size` elements, in order. They are taken from the sequence when
  /// they are needed.
  @inlinable
  public func chunks(of size: Int) -> some Sequence<[Element]> {
    sequence(state: makeIterator()) { iterator -> [Element]? in
      var chunk: [Element] = []
      while chunk.count < size, let element = iterator.next() { chunk.append(element) }
      return chunk.isEmpty ? nil : chunk
    }
  }
}

extension Array {
  /// Returns the elements in arrays of up to `size` elements, in their order.
  public func chunks(of size: Int) -> some Sequence<[Element]> {
    stride(from: 0, to: count, by: size).lazy.map { Array(self[$0..<Swift.min($0 + size, count)]) }
  }
}
