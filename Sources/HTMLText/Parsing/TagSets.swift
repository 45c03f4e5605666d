/// The element sets that the rules name.
extension HTMLTag {
  static let formatting: TagSet = [
    .a, .b, .big, .code, .em, .font, .i, .nobr, .s, .small, .strike, .strong, .tt, .u,
  ]
  static let headings: TagSet = [.h1, .h2, .h3, .h4, .h5, .h6]
  /// Elements that end formatting which began outside them.
  static let special: TagSet = [
    .address, .applet, .area, .article, .aside, .base, .basefont, .bgsound, .blockquote, .body, .br, .button,
    .caption, .center, .col, .colgroup, .dd, .details, .dir, .div, .dl, .dt, .embed, .fieldset, .figcaption,
    .figure, .footer, .form, .frame, .frameset, .h1, .h2, .h3, .h4, .h5, .h6, .head, .header, .hgroup, .hr,
    .html,
    .iframe, .img, .input, .keygen, .li, .link, .listing, .main, .marquee, .menu, .meta, .nav, .noembed,
    .noframes,
    .noscript, .object, .ol, .p, .param, .plaintext, .pre, .script, .search, .section, .select, .source,
    .style,
    .summary, .table, .tbody, .td, .template, .textarea, .tfoot, .th, .thead, .title, .tr, .track, .ul, .wbr,
    .xmp,
  ]
  /// Elements that need no end tags.
  static let impliedEnd: TagSet = [.dd, .dt, .li, .optgroup, .option, .p, .rb, .rp, .rt, .rtc]

  // MARK: Scopes

  static let scope: TagSet = [.applet, .caption, .html, .table, .td, .th, .marquee, .object, .template]
  static let foreignScope: TagSet = [
    .mi, .mo, .mn, .ms, .mtext, .annotationXML, .foreignObject, .desc, .title,
  ]
  static let listScope = scope.union([.ol, .ul])
  static let buttonScope = scope.union([.button])
  static let tableScope: TagSet = [.html, .table, .template]

  // MARK: Tables

  static let tableParts: TagSet = [.table, .tbody, .tfoot, .thead, .tr]
  static let tableSections: TagSet = [.tbody, .tfoot, .thead]
  static let cells: TagSet = [.td, .th]
  /// Start tags that end a caption or a cell.
  static let tableContent: TagSet = [.caption, .col, .colgroup, .tbody, .td, .tfoot, .th, .thead, .tr]

  /// Elements that stay open at the deepest level, because rules in other modes expect them.
  static let structural: TagSet = tableParts.union([
    .html, .head, .body, .template, .select, .frameset, .caption, .colgroup, .td, .th,
  ])

  // MARK: The body

  /// Elements that end a paragraph.
  static let blocks: TagSet = [
    .address, .article, .aside, .blockquote, .center, .details, .dialog, .dir, .div, .dl, .fieldset,
    .figcaption,
    .figure, .footer, .header, .hgroup, .main, .menu, .nav, .ol, .p, .search, .section, .summary, .ul,
  ]
  /// Head elements, which may also be in the body.
  static let headContent: TagSet = [
    .base, .basefont, .bgsound, .link, .meta, .noframes, .script, .style, .template, .title,
  ]
  /// HTML inside SVG or MathML that ends it.
  static let endsForeign: TagSet = [
    .b, .big, .blockquote, .body, .br, .center, .code, .dd, .div, .dl, .dt, .em, .embed, .h1, .h2, .h3, .h4,
    .h5,
    .h6, .head, .hr, .i, .img, .li, .listing, .menu, .meta, .nobr, .ol, .p, .pre, .ruby, .s, .small, .span,
    .strong,
    .strike, .sub, .sup, .table, .tt, .u, .ul, .var,
  ]
}
