/// Describes shortened or omitted document parts; nil without any.
func omissionText(texts: Int, lists: Int, dropped: Int) -> String? {
  let cut = [(texts, "text"), (lists, "list")].filter { $0.0 > 0 }
    .map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }
    .joined(separator: " and ")
  let phrase =
    texts + lists == 1 ? "was too long and is kept in part" : "were too long and are kept in part"
  let parts = [
    cut.isEmpty ? "" : "\(cut) \(phrase)",
    dropped == 0
      ? "" : "\(dropped) article\(dropped == 1 ? " was" : "s were") left out, too damaged or too long",
  ].filter { !$0.isEmpty }
  return parts.isEmpty ? nil : parts.joined(separator: "; ")
}
