import Foundation
import HTMLText
package import ManagedContext
import NewsModel
import TextOutput
import WebAddress

/// An article field that differs between two versions.
package struct FieldChange {
  package let name: String
  package let old: any RecordValue
  package let new: any RecordValue
  package let difference: FieldDifference

  /// Returns the fields that differ, in the order of ``Article/versioned``.
  ///
  /// - Parameters:
  ///   - old: Values in that order.
  ///   - comparesMarkup: True to compare HTML source, and white space; otherwise words are compared.
  package static func all(from old: [AttributeValue], to new: [AttributeValue], comparesMarkup: Bool)
    -> [FieldChange]
  {
    zip(Article.versioned, zip(old, new)).compactMap { name, values in
      guard values.0 != values.1 else { return nil }
      let kind = Kind.of(name)
      return FieldChange(
        name: name, old: ArticleFields.value(name, values.0), new: ArticleFields.value(name, values.1),
        difference: FieldDifference(kind, from: values.0, to: values.1, comparesMarkup: comparesMarkup))
    }
  }

  /// The kinds of fields, by what their values mean.
  enum Kind {
    case text, address, html, date, list, members

    static func of(_ name: String) -> Kind {
      switch name {
      case Article.schema.summary.name, Article.schema.contentHTML.name: .html
      case Article.schema.published.name, Article.schema.modified.name: .date
      case Article.schema.authors.name, Article.schema.tags.name, Article.schema.attachments.name: .list
      case Article.schema.members.name: .members
      case Article.schema.title.name: .text
      default: .address
      }
    }
  }
}

/// The difference between two field values.
package enum FieldDifference {
  /// Words in a text, and whether the markup between them also differs.
  case words(WordDifference, hasOtherMarkup: Bool)
  /// Whole values or elements.
  case lines(removed: [String], added: [String])
  /// Only markup, or white space.
  case sameWords

  init(
    _ kind: FieldChange.Kind, from old: AttributeValue, to new: AttributeValue, comparesMarkup: Bool
  ) {
    let (before, after) = (old.recordText, new.recordText)
    switch kind {
    case .text: self.init(words: before, after, in: comparesMarkup ? .source : .words)
    case .html: self.init(words: before, after, in: comparesMarkup ? .source : .wordsOfHTML)
    case .address:
      self = .lines(removed: Self.address(before), added: Self.address(after))
    case .date:
      let dates = [old, new].map { Date(attributeValue: $0) }
      let texts = Self.texts(of: dates)
      self = .lines(removed: texts[0].map { [$0] } ?? [], added: texts[1].map { [$0] } ?? [])
    case .list:
      self.init(elements: ListText.elements(of: before), ListText.elements(of: after), before, after)
    case .members:
      self.init(elements: ListText.members(of: before), ListText.members(of: after), before, after)
    }
  }

  private init(words old: String, _ new: String, in parts: WordText.Parts) {
    let difference = WordDifference(from: old, to: new, in: parts)
    if difference.changes.isEmpty {
      self = .sameWords
    } else {
      let isHTML = parts == .wordsOfHTML
      self = .words(difference, hasOtherMarkup: isHTML && !HTMLWords.haveSameTags(old, new))
    }
  }

  /// Compares elements. Values that are not lists, or only reorder their elements, are compared as a whole.
  private init(elements old: [String]?, _ new: [String]?, _ before: String, _ after: String) {
    let whole = FieldDifference.lines(
      removed: before.isEmpty ? [] : [before], added: after.isEmpty ? [] : [after])
    guard let old, let new else {
      self = whole
      return
    }
    let (removed, added) = (old.removing(new), new.removing(old))
    guard removed.isEmpty, added.isEmpty else {
      self = .lines(removed: removed, added: added)
      return
    }
    self = .lines(removed: [old.joined(separator: ", ")], added: [new.joined(separator: ", ")])
  }

  /// The changed passages as pairs of old and new text, without the words around them; either may be empty.
  package var passages: [(old: String, new: String)] {
    switch self {
    case .words(let words, _): words.changes.map { (words.old.text($0.old), words.new.text($0.new)) }
    case .lines(let removed, let added):
      removed.count == 1 && added.count == 1
        ? [(removed[0], added[0])] : removed.map { ($0, "") } + added.map { ("", $0) }
    case .sameWords: []
    }
  }

  private static func address(_ text: String) -> [String] {
    text.isEmpty ? [] : [WebAddress.withoutPassword(text)]
  }

  /// Returns dates for people, with seconds if they are in the same minute.
  private static func texts(of dates: [Date?]) -> [String?] {
    let minutes = dates.map { $0.map { localMinute($0) } }
    guard minutes[0] == minutes[1] else { return minutes }
    return dates.map { date in
      date.map { "\(localMinute($0)):\(digits(CivilDate(local: $0).second))" }
    }
  }
}

extension [String] {
  /// Returns the texts that remain after each of `others` has removed one equal text.
  fileprivate func removing(_ others: [String]) -> [String] {
    // Strings that look the same are equal, but their bytes may differ.
    var counts: [[UInt8]: Int] = [:]
    for other in others { counts[Array<UInt8>(other.utf8), default: 0] += 1 }
    return filter { text in
      let key = Array<UInt8>(text.utf8)
      guard let count = counts[key], count > 0 else { return true }
      counts[key] = count - 1
      return false
    }
  }
}
