import ArgumentParser
import ArticleDocuments
import Foundation
import ManagedContext
import NewsModel
import WebAddress
import TextOutput

/// `newsimport open ID...`
struct OpenCommand: MainCommand {
  static let configuration = CommandConfiguration(
    commandName: "open",
    abstract: "Open the pages of articles in the browser.",
    discussion: """
      Examples:
        newsimport open 4711
        newsimport open --print 4711 | xclip
      The browser is $BROWSER (one or several commands separated by colons; %s is the address), or else the one that xdg-open \
      finds. Only http and https addresses are opened. Articles are not marked as read.
      Exit status: 65 an article without such an address, 66 a number without an article, 69 no browser.
      """)

  @OptionGroup var storeOptions: StoreOptions
  @Argument(
    help: ArgumentHelp(
      "The articles' numbers; - reads them from standard input, one per line.", valueName: "id"))
  var ids: [String]
  @Flag(name: .customLong("print"), help: "Print the addresses, one per line, and open nothing.")
  var printsAddress = false

  func perform() async throws {
    let numbers = try ArticleNumber.all(ids)
    let stack = try NewsStack.needed(storeOptions, for: .reading)
    var failure: CommandFailure?
    var missing: [ArticleNumber] = []
    try stack.reading {
      for number in numbers {
        guard let article = try stack.article(number) else {
          missing.append(number)
          continue
        }
        guard let url = article.url.map({ WebAddress.asciiText($0) }), WebAddress(url).problem == nil else {
          failure = CommandFailure(.badInput)
          Output.error.warn(
            "\(number): the article has no address to open; newsimport show \(shellWord(number.description)) shows it"
          )
          continue
        }
        guard !printsAddress else {
          Output.standard.write("\(printable(url))\n")
          continue
        }
        guard Browser.mayOpen(url) else { throw noBrowser(for: number) }
        let title = printable(article.listTitle)
        Output.standard.print("opens  \(printable(url))  \(title)\n")
        // The output is finished before the browser writes, which may use this terminal.
        Output.standard.finish()
        guard Browser.open(url) else { throw noBrowser(for: number) }
      }
    }
    if let failure = CommandFailure.reporting(missing: missing) ?? failure { throw failure }
  }
}

private func noBrowser(for number: ArticleNumber) -> CommandFailure {
  CommandFailure(
    .unavailable,
    "no browser could open it; set BROWSER to a program, such as BROWSER=w3m, or print the address: "
      + "newsimport open --print \(shellWord(number.description))")
}
