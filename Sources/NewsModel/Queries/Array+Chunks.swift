extension Array {
  /// Returns the elements in arrays of up to `size` elements, in their order.
  package func chunks(of size: Int) -> some Sequence<[Element]> {
    stride(from: 0, to: count, by: size).lazy.map { Array(self[$0..<Swift.min($0 + size, count)]) }
  }
}
