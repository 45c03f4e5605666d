/// Which attribute becomes which part.
extension ParsedExtension.Field {
  /// The field of an attribute; nil for attributes that are not kept.
  init?(attribute: LocalName) {
    switch attribute {
    case .term: self = .text
    case .url, .href, .resource, .uri, .src: self = .url
    case .type, .contentType: self = .type
    case .title: self = .title
    case .name, .display: self = .name
    case .id, .ref: self = .id
    case .lang, .language, .hreflang: self = .language
    case .rel: self = .relation
    case .scheme, .domain: self = .scheme
    case .label: self = .label
    case .role: self = .role
    case .group: self = .group
    case .img: self = .image
    case .fileSize, .length: self = .size
    case .medium: self = .medium
    case .width: self = .width
    case .height: self = .height
    case .duration: self = .duration
    case .startTime: self = .start
    case .count: self = .count
    case .source: self = .source
    default: self.init(rareAttribute: attribute)
    }
  }

  /// The attributes of modules that few feeds have.
  private init?(rareAttribute attribute: LocalName) {
    switch attribute {
    case .geo: self = .geo
    case .osm: self = .osm
    case .country: self = .country
    case .bitrate: self = .bitrate
    case .codecs: self = .codecs
    case .isDefault: self = .isDefault
    case .protocol: self = .protocol
    case .accountID: self = .accountID
    case .accountURL: self = .accountURL
    case .priority: self = .priority
    case .method: self = .method
    case .suggested: self = .suggested
    case .address: self = .address
    case .split: self = .split
    case .fee: self = .fee
    case .customKey: self = .customKey
    case .customValue: self = .customValue
    case .purpose: self = .purpose
    case .value: self = .value
    default: self.init(mediaAttribute: attribute)
    }
  }

  private init?(mediaAttribute attribute: LocalName) {
    switch attribute {
    case .average: self = .average
    case .min: self = .minimum
    case .max: self = .maximum
    case .views: self = .views
    case .favorites: self = .favorites
    case .algorithm: self = .algorithm
    case .framerate: self = .framerate
    case .samplingRate: self = .samplingRate
    case .channels: self = .channels
    case .expression: self = .expression
    default: return nil
    }
  }

  /// Whether values are addresses, to be resolved.
  var isAddress: Bool { self == .url || self == .image || self == .source || self == .accountURL }
}
