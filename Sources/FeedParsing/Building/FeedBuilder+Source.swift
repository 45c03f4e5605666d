internal import Markup

/// Atom's `source`, and the fields after one without an end tag.
extension FeedBuilder {
  /// Begins an element inside Atom's `source`: the item's author if it has no other, and its origin.
  mutating func startInSource(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    guard meaning.vocabulary.isCore, texts.isInItem else { return .skipped }
    switch meaning.local {
    case .author, .title, .id, .link: isSourceEmpty = false
    default: break
    }
    switch meaning.local {
    case .author: return meaning.vocabulary.isAtom ? startAuthor(rank: 5) : .skipped
    case .title: return startSourceText(.title, texts.kind(of: attributes, otherwise: .text))
    case .id: return startSourceText(.id, .plain)
    case .link:
      if texts.relation(of: attributes) == .alternate {
        item.note(.source, .url, texts.addressSlice(.href, of: attributes))
      }
      return .skipped
    default: return .skipped
    }
  }

  private mutating func startSourceText(_ field: ParsedExtension.Field, _ kind: Capture.Kind) -> Role {
    let role = startCapture(.extensionText, kind)
    capture.extensionKind = .source
    capture.extensionField = field
    return role
  }

  /// The rank for a field that may belong to the source, worse than all others.
  private static let doubtfulRank: UInt8 = 32

  /// Ends a source without content in a damaged document.
  ///
  /// Its end tag is missing, so it ended where its first field began. The following fields belong to the
  /// source or to the entry.
  mutating func endSource() {
    guard isInRepair, isSourceEmpty, frames.count > 1, frames[frames.count - 2].role.isItem else { return }
    fieldsBehindSource = []
    frames[frames.count - 2].role = .itemBehindSource
  }

  /// Begins a field after such a source. A field that occurs twice belongs to the entry, and so do all fields
  /// after an element that no source has.
  mutating func startBehindSource(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    let field = meaning.local
    if meaning.vocabulary.isAtom, Self.doubtfulFields.contains(field),
      !fieldsBehindSource.contains(field)
    {
      fieldsBehindSource.append(field)
      return startDoubtful(field, attributes)
    }
    if !meaning.mayBeOfSource { frames[frames.count - 2].role = .item }
    return startInItem(meaning, attributes)
  }

  /// The fields that both a source and an entry have.
  private static let doubtfulFields: [LocalName] = [.title, .id, .link, .updated]

  private mutating func startDoubtful(_ field: LocalName, _ attributes: XMLAttributes) -> Role {
    let rank = Self.doubtfulRank
    switch field {
    case .title:
      let kind = texts.kind(of: attributes, otherwise: .text)
      return item.fields.title.wants(rank) ? startCapture(.title, kind, rank: rank) : .skipped
    case .id:
      guard item.fields.id.wants(rank) else { return .skipped }
      let role = startCapture(.id, .plain, rank: rank)
      capture.isPermaLink = false
      return role
    case .updated:
      return item.fields.modified.wants(rank) ? startCapture(.modified, .plain, rank: rank) : .skipped
    default:
      if texts.relation(of: attributes) == .alternate {
        item.fields.url.set(texts.addressSlice(.href, of: attributes, isReference: true), rank: rank)
      }
      return .skipped
    }
  }
}
