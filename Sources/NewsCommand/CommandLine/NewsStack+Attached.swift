import ArticleDocuments
import Foundation
import ManagedContext
import NewsModel
import SQLiteStore
import TextOutput

/// An attached store that is open.
struct OpenAttachment {
  /// Its name for the user.
  let name: String
  let store: SQLiteStore
}

/// Attached stores: they are read together with the main one, and never written.
extension NewsStack {
  /// Adds the attached stores to later reads. Unreadable ones are reported on standard error and skipped. Only
  /// a file has attached stores.
  func readAttachedStores() throws {
    guard case .file = location else { return }
    for attachment in try reading({ try source.attachedStores() }) {
      do throws(StoreError) {
        try read(attachment)
      } catch {
        Output.error.warn(
          "\(Self.words(for: error, of: attachment.name, attachment.path)); its articles are skipped")
      }
    }
    let names = attached.reduce(into: [:]) { $0[$1.store.number] = ($1.name, $1.store.name) }
    coordinator.skipDamagedStores { number, error in
      guard let (name, path) = names[number] else { return }
      let text = Self.words(for: error, of: name, path)
      // Any thread may read.
      FileHandle.standardError.write(Data("newsimport: \(text); its other articles are skipped\n".utf8))
    }
  }

  /// Adds an attached store to later reads.
  ///
  /// - Throws: ``CommandFailure`` with status 66 for an unknown name, or with the cause if it cannot be read.
  func readAttachedStore(named name: String) throws {
    guard let attachment = try reading({ try source.attachedStore(named: name) }) else {
      throw CommandFailure(
        .noInput, "\(printable(name)): no such attached store; newsimport store list shows them")
    }
    do throws(StoreError) {
      try read(attachment)
    } catch {
      throw CommandFailure(
        CommandFailure(error, store: .file(attachment.path)).status,
        Self.words(for: error, of: attachment.name, attachment.path))
    }
  }

  private func read(_ attachment: AttachedStore) throws(StoreError) {
    guard !attached.contains(where: { $0.name == attachment.name }) else { return }
    let store = try Self.attached(attachment.path)
    coordinator.addReadOnlyStore(store)
    attached.append(OpenAttachment(name: attachment.name, store: store))
  }

  private nonisolated static func words(for error: StoreError, of name: String, _ path: String) -> String {
    let hint =
      if case .older(let version, _) = error, version > 0 {
        "its version is too old; newsimport stats --store \(shellWord(path)) updates it"
      } else {
        "\(printable("\(error)")); newsimport store detach \(shellWord(name)) removes it"
      }
    return "attached store \(printable(name)): \(hint)"
  }

  // MARK: Articles

  /// Returns an article's number in the main store or in an attached store that is read.
  func number(of article: ManagedObjectID) -> ArticleNumber {
    ArticleNumber(article.key, in: attached.first { $0.store.number == article.store }?.name)
  }

  /// Returns the ID for a number, whether or not the article exists; nil if its attached store is not read.
  func articleID(_ number: ArticleNumber) -> ManagedObjectID? {
    guard let name = number.store else { return source.articleID(number.key) }
    guard let store = attached.first(where: { $0.name == name })?.store else { return nil }
    return ManagedObjectID(entity: NewsModel.Place.article, store: store.number, key: number.key)
  }

  /// Returns the article with a number; nil if it does not exist. Later reads include its attached store.
  ///
  /// - Throws: ``CommandFailure`` with status 66 if no store with that name is attached.
  func article(_ number: ArticleNumber) throws -> StoredRow<Article>? {
    var store = store.number
    if let name = number.store {
      try readAttachedStore(named: name)
      store = attached.first { $0.name == name }?.store.number ?? store
    }
    return try reading { try source.article(numbered: number.key, in: store) }
  }
}
