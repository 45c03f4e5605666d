/// A writer of articles as a mailbox in the format mbox (RFC 4155): a message for each article.
package struct MailFolder: ArticleDocument {
  package let head = ""
  package let tail = ""

  package init() {}

  package mutating func write(_ listed: ListedArticle, to bytes: inout [UInt8]) {
    bytes += MailMessage(listed).inMailbox.utf8
  }
}
