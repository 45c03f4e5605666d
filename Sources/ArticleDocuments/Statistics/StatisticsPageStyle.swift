/// The style for a page of statistics: wider than a page of articles, with the same type and colours.
enum StatisticsPageStyle {
  /// The hash that the page's policy allows, and with it only this style (CSP Level 3, 2.3.1).
  static let hash = "sha256-wGGZp+kNvs8SH6LYf2kOTe9Ky8tl2JUwV5NFC+iTtS8="

  static let text =
    HTMLPageStyle.base + """
      :root { --bar: #b0663c; --good: #6f9a5d; --same: #cfdcc4; --bad: #b3261e; --wait: #d9a441; --none: #ece8df }
      @media (prefers-color-scheme: dark) {
        :root { --bar: #d08a5c; --good: #7fae6b; --same: #3b4a35; --bad: #e5675d; --wait: #c99a45; --none: #2a2825 }
      }
      body { max-width: 60rem }
      p, table, figcaption, dl, .most, .ends, .hours { font-family: ui-sans-serif, system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif }
      p, figcaption, .ends { color: var(--quiet); font-size: .875rem; margin: .6rem 0 }
      figure { margin: 1.25rem 0 0 }
      svg { display: block; width: 100% }
      .chart { height: 8rem }
      .ends { display: flex; justify-content: space-between; margin: .25rem 0 0 }
      .most { color: var(--quiet); font-size: .8125rem; border-bottom: 1px solid var(--line) }
      .bar { fill: var(--bar) }
      .rule { fill: var(--line) }
      dl { display: flex; flex-wrap: wrap; gap: .5rem 2.5rem; margin: 1.25rem 0 0 }
      dt { color: var(--quiet); font-size: .8125rem }
      dd { margin: 0; font-size: 1.375rem; font-variant-numeric: tabular-nums }
      .wide { overflow-x: auto }
      table { border-collapse: collapse; width: 100%; font-size: .875rem; margin-top: .75rem; font-variant-numeric: tabular-nums }
      th, td { padding: .35rem .75rem .35rem 0; text-align: start; vertical-align: middle; border-bottom: 1px solid var(--line) }
      th { font-weight: 400; overflow-wrap: anywhere; min-width: 8rem }
      thead th { color: var(--quiet); font-size: .8125rem; min-width: 0; overflow-wrap: normal }
      .number { text-align: end; white-space: nowrap }
      .row { display: flex; align-items: end; gap: .4rem; color: var(--quiet); font-size: .8125rem }
      .small { height: 1.75rem; min-width: 8rem }
      .log { height: 1rem; min-width: 9rem }
      .updated { fill: var(--good) } .unchanged { fill: var(--same) } .failed { fill: var(--bad) } .refused { fill: var(--wait) }
      .none { fill: var(--none) }
      .legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem }
      .legend svg { display: inline-block; width: .8rem; height: .8rem; margin-inline-end: .35rem; vertical-align: -1px }
      .hours { display: grid; grid-template-columns: auto 1fr; gap: .25rem .6rem; font-size: .8125rem; color: var(--quiet) }
      .hours > ol { list-style: none; margin: 0; padding: 0; display: flex; flex-direction: column; justify-content: space-around }
      .hours > svg { height: 11rem }
      .hours > .ends { grid-column: 2; margin: 0 }
      .level0 { fill: var(--none) } .level1 { fill: var(--bar); opacity: .25 } .level2 { fill: var(--bar); opacity: .5 }
      .level3 { fill: var(--bar); opacity: .75 } .level4 { fill: var(--bar) }
      @media (max-width: 34rem) {
        th, td { padding-inline-end: .5rem }
        th { min-width: 5rem }
        .small { min-width: 4.5rem }
      }
      @media print {
        :root { --paper: #fff; --ink: #000 }
        body { max-width: none; padding: 0; print-color-adjust: exact }
        tr, figure { break-inside: avoid }
      }

      """
}
