package import ManagedContext

extension Entity {
  /// The columns for all attributes, in order.
  package static var columns: [Int] { Array(entity.description.attributes.indices) }
}
