/// The attributes for pictures that a script loads only when a reader comes near them.
package enum LazyPicture {
  /// Attributes with one address, used instead of `src`.
  package static let addresses: [StaticString] = ["data-src", "data-original", "data-lazy-src", "data-lazy"]
  /// Attributes with addresses for several sizes, used instead of `srcset`.
  package static let lists: [StaticString] = ["data-srcset", "data-lazy-srcset"]
}
