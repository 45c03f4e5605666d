/// The style for a page of articles: one text column, light or dark according to the reader's settings.
///
/// Printed pages include the folded texts. Browsers without `::details-content` (before Chromium 131, Firefox
/// 143 and Safari 18.4) print the beginning of these texts.
enum HTMLPageStyle {
  /// The hash that the page's policy allows, and with it only this style (CSP Level 3, 2.3.1).
  static let hash = "sha256-lwGiCVto33uzyPY0E/6QQyUmEGw4YSmhGWgmzsH2SsQ="

  static let text =
    base + """
      .skip { position: absolute; left: -100rem }
      .skip:focus { left: 1rem; top: 1rem; background: var(--paper); padding: .5rem }
      nav { font-size: .875rem; margin-bottom: 2rem }
      nav details[open] > summary { margin-bottom: .25rem }
      nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .15rem 1.1rem; margin: 0; padding: 0 }
      nav li { max-width: 100%; padding: .15rem 0 }
      nav span { color: var(--quiet) }
      section, article, h3 { scroll-margin-top: 1rem }
      article { padding: 1.6rem 0; border-bottom: 1px solid var(--line) }
      article:last-child { border-bottom: 0 }
      h3 { font-size: 1.1875rem; line-height: 1.35; margin: 0; text-wrap: balance }
      @media screen {
        article:not(:target, :focus-within, :has(> details[open])) > h3 {
          display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 4; overflow: hidden }
      }
      h3 a, .meta a { color: inherit; text-decoration: none }
      h3 a:hover, .meta a:hover { text-decoration: underline }
      h3 a:visited { color: var(--quiet) }
      .meta { color: var(--quiet); font-size: .8125rem; margin: .3rem 0 .7rem }
      .start { margin: 0 }
      article > details[open] > summary { margin-bottom: 1rem }
      article:has(> details[open]) > .start { display: none }
      summary { cursor: pointer; color: var(--link); font-size: .875rem; margin-top: .6rem; padding: .25rem 0 }
      .content > :first-child { margin-top: 0 }
      .content > :last-child { margin-bottom: 0 }
      .content p, .content ul, .content ol, .content dl, .content blockquote, .content pre, .content table, .content figure { margin: 0 0 1em }
      .content h4, .content h5, .content h6 { font-size: 1.0625rem; line-height: 1.4; margin: 1.4em 0 .4em }
      .content blockquote { margin-inline: 0; padding-inline-start: 1rem; border-inline-start: 3px solid var(--line);
        color: var(--quiet) }
      .content pre, .content code, .content kbd, .content samp { font: .875em/1.5 ui-monospace, "DejaVu Sans Mono", monospace }
      /* Deeply nested parts have no room for more indentation. */
      .content :is(ul, ol, dl, blockquote) :is(ul, ol, dl, blockquote) :is(ul, ol, dl, blockquote) :is(ul, ol, dl, blockquote)
        :is(ul, ol, dl, dd, blockquote) { margin-inline: 0; padding-inline: 0; border: 0 }
      .content pre { overflow-x: auto; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: 6px }
      .content table { display: block; overflow-x: auto; border-collapse: collapse; font-size: .9375rem }
      .content th, .content td { border: 1px solid var(--line); padding: .3rem .6rem; text-align: start; vertical-align: top }
      .content figcaption, .media { color: var(--quiet); font-size: .875rem }
      .media::before { content: "\\25A8\\00A0" / "" }
      .content hr { border: 0; border-top: 1px solid var(--line); margin: 2em 0 }
      .files { list-style: none; padding: 0; margin: .8rem 0 0; font-size: .875rem }
      .files li::before { content: "\\2193\\00A0" / ""; color: var(--quiet) }
      .none { color: var(--quiet) }
      @media print {
        :root { --paper: #fff; --ink: #000 }
        body { max-width: none; padding: 0 }
        summary, nav, .skip { display: none }
        details::details-content { content-visibility: visible }
        .content pre { white-space: pre-wrap; overflow: visible }
        .content table { display: table; overflow: visible; overflow-wrap: anywhere }
      }
      @supports selector(::details-content) { @media print { .start { display: none } } }

      """

  /// The rules that all pages share.
  static let base = """

    :root { color-scheme: light dark; --paper: #fbfaf7; --ink: #1d1c1a; --quiet: #66625a; --line: #e2ded5; --link: #8a3a12 }
    @media (prefers-color-scheme: dark) {
      :root { --paper: #161513; --ink: #e5e1d8; --quiet: #a19b8f; --line: #34312c; --link: #e8a878 }
    }
    * { box-sizing: border-box }
    html { background: var(--paper); color: var(--ink); -webkit-text-size-adjust: 100% }
    body { max-width: 42rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; overflow-wrap: break-word;
      font: 1.0625rem/1.6 ui-serif, Charter, Georgia, "Noto Serif", "DejaVu Serif", serif }
    a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: .18em }
    :focus-visible { outline: 2px solid var(--link); outline-offset: 3px; border-radius: 2px }
    h1, h2, h3, nav, .meta, .none, summary, header p, footer, .files, .media, .skip {
      font-family: ui-sans-serif, system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif }
    header { margin-bottom: 1.5rem }
    h1 { font-size: 2rem; line-height: 1.2; letter-spacing: -.02em; margin: 0 }
    header p, footer { color: var(--quiet); font-size: .875rem; margin: .35rem 0 0 }
    footer { border-top: 1px solid var(--line); margin-top: 4rem; padding-top: 1rem }
    section { margin-top: 3rem }
    h2 { font-size: .875rem; font-weight: 600; letter-spacing: .02em; color: var(--quiet); margin: 0;
      padding-bottom: .6rem; border-bottom: 1px solid var(--line) }

    """
}
