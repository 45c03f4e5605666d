internal import Markup

/// Fields after an Atom `source` without an end tag.
extension FeedBuilder {
  /// The rank of a field that may be the source's, worse than all others.
  private static let doubtfulRank: UInt8 = 32

  /// Ends a source without content in a damaged document. Its end tag is missing, so it ended where its first field
  /// began, and the following fields belong to the source or to the entry.
  mutating func endSource() {
    guard isInRepair, isSourceEmpty, frames.count > 1, frames[frames.count - 2].role.isItem else { return }
    item.fieldsBehindSource = []
    frames[frames.count - 2].role = .itemBehindSource
  }

  /// Begins a field there. Fields that occur twice are the entry's own, and so are all fields after an element that no
  /// source has.
  mutating func startBehindSource(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    let field: ItemInProgress.Fields? =
      switch meaning.local {
      case .title: .title
      case .id: .id
      case .link: .link
      case .updated: .updated
      default: nil
      }
    guard meaning.vocabulary.isAtom, let field else {
      if !Self.mayBeOfSource(meaning) { frames[frames.count - 2].role = .item }
      return startInItem(meaning, attributes)
    }
    guard item.fieldsBehindSource.insert(field).inserted else {
      frames[frames.count - 2].role = .item
      return startInItem(meaning, attributes)
    }
    return startDoubtful(field, attributes)
  }

  private mutating func startDoubtful(_ field: ItemInProgress.Fields, _ attributes: XMLAttributes) -> Role {
    let rank = Self.doubtfulRank
    switch field {
    case .title:
      let kind = kind(of: attributes, otherwise: .text)
      return item.title.wants(rank) ? startCapture(.title, kind, rank: rank) : .skipped
    case .id:
      guard item.id.wants(rank) else { return .skipped }
      let role = startCapture(.id, .plain, rank: rank)
      capture.isPermaLink = false
      return role
    case .updated: return item.modified.wants(rank) ? startCapture(.modified, .plain, rank: rank) : .skipped
    default:
      let start = batch.bytes.count
      guard relation(of: attributes) == .alternate, append(.href, of: attributes) else { return .skipped }
      resolveAddress(from: start, isReference: true)
      item.url.set(trimmedSlice(from: start), rank: rank)
      return .skipped
    }
  }

  /// Returns whether a source may contain the element, too (RFC 4287, section 4.2.11).
  private static func mayBeOfSource(_ meaning: ElementName) -> Bool {
    guard meaning.vocabulary.isAtom else { return true }
    switch meaning.local {
    case .author, .category, .contributor, .generator, .icon, .logo, .rights, .subtitle: return true
    default: return false
    }
  }
}
