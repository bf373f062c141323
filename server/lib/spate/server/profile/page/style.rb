# frozen_string_literal: true

module Spate
  module Server
    module Profile
      class Page
        STYLE = <<~CSS
          :root { color-scheme: light; --back: #fff; --text: #1a1d21; --soft: #667; --line: #d8dbe0; --box: #f5f6f8;
            --accent: #0b61c4; --mark: #c2185b; }
          :root[data-theme="dark"] { color-scheme: dark; --back: #16181c; --text: #e6e8eb; --soft: #9aa2ad;
            --line: #33383f; --box: #1f2329; --accent: #6cb2ff; --mark: #ff6fa3; }
          * { box-sizing: border-box; }
          body { margin: 0; background: var(--back); color: var(--text); font: 14px/1.45 system-ui, sans-serif; }
          header { display: flex; align-items: center; justify-content: space-between; padding: 12px 20px 0; }
          h1 { font-size: 20px; margin: 0; }
          h2 { font-size: 15px; margin: 24px 0 8px; }
          main { padding: 0 20px 40px; max-width: 1500px; margin: 0 auto; }
          button, input { font: inherit; color: inherit; background: var(--box); border: 1px solid var(--line);
            border-radius: 5px; padding: 3px 9px; }
          button { cursor: pointer; }
          :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
          code, td.path { font: 12px/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
          #runs { display: grid; grid-template-columns: repeat(auto-fit, minmax(320px, 1fr)); gap: 12px; margin-top: 12px; }
          .run { background: var(--box); border: 1px solid var(--line); border-radius: 8px; padding: 10px 14px; }
          .run b { font-size: 22px; }
          .soft { color: var(--soft); }
          table { border-collapse: collapse; width: 100%; }
          th, td { text-align: left; padding: 3px 10px 3px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
          th.number, td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
          .bar { display: flex; height: 22px; border-radius: 4px; overflow: hidden; margin: 4px 0; }
          .bar i { display: block; min-width: 1px; }
          .swatch { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin-right: 6px; }
          .meter { display: inline-block; height: 8px; border-radius: 2px; background: var(--accent); }
          #tools { display: flex; gap: 6px; align-items: center; flex-wrap: wrap; }
          #search { width: 260px; }
          #help { color: var(--soft); margin: 6px 0; }
          kbd { border: 1px solid var(--line); border-radius: 3px; padding: 0 4px; font-size: 12px; }
          .flame { border: 1px solid var(--line); border-radius: 6px; margin-top: 8px; overflow: auto; max-height: 70vh; }
          .flame canvas { display: block; width: 100%; cursor: crosshair; touch-action: pan-y; }
          .caption { margin: 10px 0 0; }
          #detail { min-height: 44px; margin-top: 8px; }
          #tip { position: fixed; z-index: 2; pointer-events: none; max-width: 560px; background: var(--text);
            color: var(--back); border-radius: 6px; padding: 6px 9px; font-size: 12px; overflow-wrap: anywhere; }
          @media (prefers-reduced-motion: no-preference) { #tip { transition: opacity .1s; } }
          #crumbs { min-height: 22px; }
          #top td:first-child, #top td:nth-child(2), #top td:nth-child(3), #top td:nth-child(4) { width: 1%; }
          #top tr { cursor: pointer; }
          #top tbody tr:hover { background: var(--box); }
          #tools label { display: inline-flex; gap: 4px; align-items: center; }
          button[aria-pressed="true"] { border-color: var(--accent); color: var(--accent); }
          .legend { display: inline-flex; gap: 12px; flex-wrap: wrap; }
        CSS
      end
    end
  end
end
