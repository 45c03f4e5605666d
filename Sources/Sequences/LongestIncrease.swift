/// Returns the indices of a longest increasing subsequence, in ascending order.
///
/// They are the elements that can stay in place when a list is reordered. Takes O(n log n) time (patience
/// sorting).
public func longestIncrease(in numbers: [some Comparable]) -> [Int] {
  /// For each length, the end index of the subsequence with that length and the smallest last element.
  var ends: [Int] = []
  var previous = [Int?](repeating: nil, count: numbers.count)
  for (place, number) in numbers.enumerated() {
    var (low, high) = (0, ends.count)
    while low < high {
      let middle = (low + high) / 2
      if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
    }
    if low > 0 { previous[place] = ends[low - 1] }
    if low < ends.count { ends[low] = place } else { ends.append(place) }
  }
  var run: [Int] = []
  var next = ends.last
  while let place = next {
    run.append(place)
    next = previous[place]
  }
  return run.reversed()
}
