/// The vocabulary of a feed's texts.
enum Language: CaseIterable {
  case english, french, russian

  var words: [String] {
    switch self {
    case .english: Self.englishWords
    case .french: Self.frenchWords
    case .russian: Self.russianWords
    }
  }

  var tag: String {
    switch self {
    case .english: "en"
    case .french: "fr"
    case .russian: "ru"
    }
  }

  // The words include characters of up to four bytes in UTF-8.
  private static let englishWords = split(
    """
    harbour council bridge winter market storm ferry library budget election garden museum school river coast \
    village police hospital station airport engine battery satellite kernel compiler release patch network server \
    browser climate forest drought harvest fishery union strike minister parliament court verdict appeal treaty \
    border refugee vaccine study professor laboratory telescope comet planet glacier volcano earthquake rescue \
    football cyclist marathon stadium orchestra novel theatre painter festival recipe bakery vineyard the a of and \
    in to for with after before says opens closes finds loses wins builds repairs reports expects new old larger \
    smaller first last public private local foreign naïve café Zürich São Łódź 東京 ελληνικά 🎉 — … “quoted”
    """)
  private static let frenchWords = split(
    """
    été forêt marché élection théâtre musée école préfet région sécurité économie énergie société système élève \
    hôpital réseau événement député français après déjà où naît pêche vélo château fenêtre île août être avoir \
    faire le la les des une pour avec dans sur sans chez vers contre ville pont port gare route train budget vote \
    grève accord projet rapport chiffre semaine journée dimanche hiver printemps automne
    """)
  private static let russianWords = split(
    """
    город мост река рынок выборы музей школа больница театр лес море погода снег поезд дорога самолёт суд закон \
    проект отчёт неделя день зима весна осень лето новый старый большой малый первый последний открыл закрыл \
    нашёл построил сообщил ожидает и в на с по для после перед без против через власть наука книга песня матч
    """)

  private static func split(_ text: String) -> [String] {
    text.split(separator: " ").map(String.init)
  }
}
