/// The texts of a feed that fill details.
enum FeedText: UInt8 {
  case id, docs, publisher, updateBase, category, keywords, license
  case imageTitle, imageLink, imageWidth, imageHeight, imageDescription
  case inputTitle, inputDescription, inputName, inputLink, rating
  case explicit, type, block, complete, newFeedURL, guid, medium, locked
  case funding, person, place, text, trailer

  /// True if the element is an entry of a list.
  var isEntry: Bool { rawValue >= FeedText.funding.rawValue }
}
