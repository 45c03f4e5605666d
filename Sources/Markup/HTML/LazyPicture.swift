/// The attributes of pictures that a script shows only when a reader comes near them.
package enum LazyPicture {
  /// Attributes with one address, in the place of `src`.
  package static let addresses: [StaticString] = ["data-src", "data-original", "data-lazy-src", "data-lazy"]
  /// Attributes with addresses for several sizes, in the place of `srcset`.
  package static let lists: [StaticString] = ["data-srcset", "data-lazy-srcset"]
}
