"""How such pages look: light and dark as the reader has it, narrow and wide."""

from __future__ import annotations

from lifecycle.simulation.pages.pictures import WIDTH

INKS = """--ink: #1c2128; --soft: #57606a; --back: #fff; --card: #f6f8fa; --line: #d0d7de; --link: #0a58ca;
  --critical: #a40e26; --serious: #9a3d00; --minor: #6b5600; --fine: #0b6649;"""
DARK_INKS = """--ink: #e6edf3; --soft: #9aa4b0; --back: #0d1117; --card: #161b22; --line: #30363d;
  --link: #79b8ff;
  --critical: #ff9492; --serious: #ffb077; --minor: #e3c65b; --fine: #56d4a0;"""
"""Critical, serious, minor and fine are what something is found to be."""
OF_PICTURES = """
svg.film { font: 11px/1 ui-monospace, Menlo, monospace; }
svg.film text { fill: var(--ink); } svg.film .tick { stroke: var(--line); stroke-width: 1; }
svg.film path.mark { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 3 3; }
svg.film path.worst { stroke: var(--critical); stroke-width: 1.5; }
svg.film text.worst { fill: var(--critical); font-weight: 600; }
"""
STYLE = f"""
:root {{ color-scheme: light dark; {INKS} }}
@media (prefers-color-scheme: dark) {{ :root {{ {DARK_INKS} }} }}
* {{ box-sizing: border-box; }}
body {{ margin: 0 auto; padding: 1rem; max-width: 70rem; background: var(--back); color: var(--ink);
  font: 15px/1.5 -apple-system, BlinkMacSystemFont, "Segoe UI", Inter, Roboto, Arial, sans-serif; }}
h1 {{ font-size: 1.4rem; margin: .5rem 0; }} h2 {{ font-size: 1.15rem; margin: 2rem 0 .5rem; }}
h3 {{ font-size: 1rem; margin: .5rem 0; scroll-margin-top: 1rem; }}
p, li, dd, h1, h2, h3, summary {{ overflow-wrap: anywhere; }}
a {{ color: var(--link); }} .soft {{ color: var(--soft); }}
code, pre {{ font: 13px/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }}
pre {{ background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .5rem .75rem;
  white-space: pre-wrap; overflow-wrap: anywhere; margin: .25rem 0; }}
.wide {{ overflow-x: auto; }} .wide:focus-visible {{ outline: 2px solid var(--link); }}
table {{ border-collapse: collapse; }} th, td {{ text-align: left; padding: .3rem .7rem; white-space: nowrap;
  border-bottom: 1px solid var(--line); vertical-align: top; }}
td.text {{ white-space: normal; min-width: 16rem; }}
details {{ border: 1px solid var(--line); border-radius: 6px; padding: .4rem .75rem; margin: .5rem 0;
  background: var(--back); }} summary {{ cursor: pointer; }}
details details {{ background: var(--card); }}
.critical, .critical a {{ color: var(--critical); font-weight: 600; }}
.serious, .serious a {{ color: var(--serious); font-weight: 600; }}
.minor, .minor a {{ color: var(--minor); }} .fine {{ color: var(--fine); }}
ol.chain {{ padding-left: 1.6rem; margin: .25rem 0; }}
svg.film {{ display: block; width: 100%; min-width: {WIDTH}px; }}
{OF_PICTURES}
.legend {{ display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: 0; margin: .5rem 0; list-style: none; }}
.legend svg {{ width: 22px; height: 11px; margin-right: .35rem; vertical-align: -1px; }}
.nothing {{ position: absolute; width: 0; height: 0; }}
"""
