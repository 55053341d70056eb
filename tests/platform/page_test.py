#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of a study: its pictures show the numbers, its HTML is well formed and stands alone, and
in a browser it answers at two widths in light and in dark.

page_test.py SMRF SOURCE plots|browser; plots needs node, browser chromium; status 77: it is not there.
"""
import csv
import html.parser
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

STUDY = """
title: Every plot
traces: [{{path: {source}/traces/bundled/divergent, group: one}}, {{path: {source}/traces/bundled/hotspot, group: two}}]
variants:
  baseline:
  malekeh-long:
  steep: {{mechanism: baseline, set: {{rf.banks: 4}}}}
sweeps:
  mal: {{of: malekeh-long, axes: {{malekeh.ct_entries: [4, 8]}}}}
  both: {{of: malekeh-long, axes: {{rf.banks: [2, 4], rf.collectors: [2, 4, 8]}}}}
  far: {{of: baseline, axes: {{rf.collectors: [1, 2, 4, 16]}}}}
  three: {{of: baseline, axes: {{rf.banks: [2, 4], rf.collectors: [2, 4], issue.scheduler: [gto, lrr]}}}}
series: {{interval: 1000, of: [ipc, rf.bank_reads]}}
derived: {{speedup: ipc / ipc@baseline}}
claims: [{{claim: gain, paper: 1, value: geomean(speedup@malekeh-long)}}]
figures:
  dots: {{columns: [malekeh-long], value: speedup, mean: geometric, plot: dots, neutral: 1}}
  counts: {{columns: {{banks: rf.bank_reads@malekeh-long, cache: rf.operand_reads@malekeh-long - rf.bank_reads@malekeh-long}}, plot: stacked, digits: 0}}
  shares: {{columns: {{hits: rf.hit_ratio@malekeh-long, misses: 1 - rf.hit_ratio@malekeh-long}}, plot: stacked}}
  negative: {{columns: {{gain: ipc@baseline - ipc@malekeh-long, less: 0 - ipc@baseline}}, plot: stacked}}
  map: {{rows: both, columns: {{IPC: geomean(speedup), hits: mean(rf.hit_ratio)}}, plot: map}}
  two: {{rows: both, columns: {{IPC: geomean(speedup)}}, plot: lines}}
  one: {{rows: mal, columns: {{IPC: geomean(speedup)}}, plot: lines}}
  far: {{rows: far, columns: {{IPC: geomean(ipc)}}, plot: lines}}
  decades: {{rows: {{few: "3", many: "30000"}}, plot: dots}}
  zero: {{rows: {{few: "3", many: "30000"}}, plot: dots, marks: [{{at: 0, label: nothing}}]}}
  seeds: {{columns: [malekeh-long], value: speedup, mean: geometric, plot: dots, neutral: 1, marks: [{{at: 2, label: twice}}]}}
  nothing: {{columns: [malekeh-long], value: "0 / 0", plot: dots}}
  three: {{rows: three, columns: {{IPC: geomean(speedup)}}, plot: lines}}
  time: {{series: time, of: malekeh-long, columns: [ipc, rf.bank_reads], plot: lines, digits: 9}}
  roofline: {{columns: [baseline, steep], plot: roofline}}
"""
SVG = "{http://www.w3.org/2000/svg}"
VOID = {"meta", "br", "input", "hr", "img", "link"}


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def near(a, b, tolerance=1e-6):
    return abs(a - b) <= tolerance * max(1, abs(a), abs(b))


class Page(html.parser.HTMLParser):
    """Elements of a page; self.faults: what is wrong with it."""

    def __init__(self, text):
        super().__init__()
        self.open, self.faults, self.ids, self.links = [], [], set(), []
        self.count, self.tables, self.data, self.scripts = {}, {}, "", []
        self.section, self.cell = "", None
        self.feed(text)
        self.close()
        self.faults += [f"<{tag}> is not closed" for tag in self.open]
        self.faults += [f"#{l} leads nowhere" for l in self.links if l not in self.ids]

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        self.count[tag] = self.count.get(tag, 0) + 1
        if len(a) != len(attributes):
            self.faults.append(f"<{tag}> has an attribute twice")
        if "id" in a:
            if a["id"] in self.ids:
                self.faults.append(f"id {a['id']} is there twice")
            self.ids.add(a["id"])
        if tag == "section":
            self.section = a.get("id", "")
        if tag == "th" and a.get("scope") not in ("row", "col"):
            self.faults.append("a <th> has no scope")
        if tag in ("script", "link", "img", "iframe") and ("src" in a or tag != "script"):
            self.faults.append(f"<{tag}> needs another file")
        if tag == "svg" and a.get("role") != "img":
            self.faults.append("an <svg> is no image to readers of screens")
        if tag == "a" and a.get("href", "").startswith("#"):
            self.links.append(a["href"][1:])
        if tag == "script":
            self.scripts.append("")
            self.cell = "data" if a.get("id") == "data" else "script"
        if tag == "tr":
            self.tables.setdefault(self.section, []).append([])
        if tag in ("td", "th"):
            self.cell = "cell"
            self.tables[self.section][-1].append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.faults.append(f"</{tag}> closes {self.open[-1:]}")
        else:
            self.open.pop()
        self.cell = None if tag in ("td", "th", "script") else self.cell

    def handle_data(self, data):
        if self.cell == "cell":
            self.tables[self.section][-1][-1] += data
        elif self.cell == "data":
            self.data += data
        elif self.cell == "script":
            self.scripts[-1] += data


def rows_of(folder, figure):
    with open(f"{folder}/{figure}.csv", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return rows[0], rows[1:]


DRAW = r"""
const plots = new Function(process.argv[1] + ';return plots;')();
const read = require('fs').readFileSync(0, 'utf8'), out = {};
for (const f of JSON.parse(read).figures) out[f.id] = [380, 620].map(width => plots.draw(f, width));
console.log(JSON.stringify(out));
"""


def pictures(page):
    """What the page's own script draws of the page's own data, at two widths, checked for size."""
    script = next(s for s in page.scripts if "const plots" in s)
    made = subprocess.run(["node", "-e", DRAW, script], input=page.data, capture_output=True, text=True, check=False)
    check(made.returncode == 0, made.stderr)
    drawn = json.loads(made.stdout)
    for figure, widths in drawn.items():
        for picture, width in zip(widths, (380, 620)):
            root = picture["root"] = xml.fromstring(picture["svg"])
            check(root.get("width") == str(width) and "NaN" not in picture["svg"] and "undefined" not in picture["svg"], figure)
            for rect in root.iter(SVG + "rect"):
                end = float(rect.get("x", 0)) + float(rect.get("width"))
                check(end <= width + 0.5 and float(rect.get("width")) >= 0, f"{figure}: a rectangle ends at {end} of {width}")
            for place in picture["places"]:
                x, y, wide, high = place["box"]
                check(wide > 0 and high > 0 and x > -1 and y > -1 and x + wide < width + 1, f"{figure}: a place at {place}")
    return {figure: widths[0] for figure, widths in drawn.items()}


def texts(root):
    return ["".join(t.itertext()) for t in root.iter(SVG + "text")]


def paths(root, kind):
    return [p.get("d") for p in root.iter(SVG + "path") if kind in p.get("class", "").split()]


def numbers(d):
    return [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", d)]


def stacks(folder, drawn):
    """Bars are as long as their sums, and the axis ends behind the longest."""
    for figure in ("counts", "shares"):
        root, (_, rows) = drawn[figure]["root"], rows_of(folder, figure)
        bars = [r for r in root.iter(SVG + "rect") if r.get("class", "").startswith("s") and r.get("height") != "8"]
        values = [float(v) for row in rows for v in row[1:] if float(v) > 0]
        widths = [float(b.get("width")) for b in bars]
        check(len(values) == len(widths), f"{figure}: {len(widths)} bars for {len(values)} values")
        scale = sum(widths) / sum(values)
        for value, width in zip(values, widths):
            check(abs(width - scale * value) < 0.2, f"{figure}: {value} is {width} long, not {scale * value}")
        check(max(widths) > 60, f"{figure}: the longest bar is {max(widths)}")
    longest = max(sum(float(v) for v in row[1:]) for row in rows_of(folder, "counts")[1])
    ticks = [float(t) for t in texts(drawn["counts"]["root"]) if re.fullmatch(r"[0-9]+", t)]
    check(longest <= max(ticks) < 2 * longest, f"the axis of counts ends at {max(ticks)}, not behind {longest}")
    check("1.0" in texts(drawn["shares"]["root"]), "shares end at 1")


def dots(folder, drawn):
    """A mark lies where its value belongs, between the ticks; rows are places; far values have a logarithmic axis."""
    for figure in ("dots", "seeds", "decades"):
        root, (_, rows) = drawn[figure]["root"], rows_of(folder, figure)
        ticks = [(float(t.get("x")), float(t.text.replace(" M", "e6"))) for t in root.iter(SVG + "text") if t.get("class") == "tick middle"]
        (x0, v0), (x1, v1) = ticks[0], ticks[-1]
        scale = math.log10 if figure == "decades" else float
        marks = [m for d in paths(root, "c0") for m in re.findall(r"M([-\d.]+) ([-\d.]+)a([-\d.]+)", d)][1:]
        check(3 <= len(ticks) <= 9, f"{figure}: {len(ticks)} ticks")
        check(len(marks) == len(rows), f"{figure}: {len(marks)} marks")
        for (left, y, r), row, place in zip(marks, rows, drawn[figure]["places"]):
            wanted = x0 + (scale(float(row[1])) - scale(v0)) / (scale(v1) - scale(v0)) * (x1 - x0)
            check(abs(float(left) + float(r) - wanted) < 0.6, f"{figure}: {row} is at {left}, not {wanted}")
            check(place["box"][1] < float(y) < place["box"][1] + place["box"][3], f"{figure}: {row} is below the pointer")
    check([v for v in texts(drawn["decades"]["root"]) if v in ("1", "1000", "100000", "0.1 M")] == ["1", "1000", "0.1 M"], "powers of ten")
    check("20000" in texts(drawn["zero"]["root"]), "an axis with a mark at 0 is not logarithmic")
    check("twice" in texts(drawn["seeds"]["root"]) and len(paths(drawn["seeds"]["root"], "dash")) == 2, "a mark has its line and its name")


def roofs(drawn):
    """Both roofs begin at the origin and end at the right; that of twice the banks is twice as steep."""
    root, places = drawn["roofline"]["root"], drawn["roofline"]["places"]
    check(sorted(p["name"] for p in places) == ["divergent, baseline", "divergent, steep", "hotspot, baseline", "hotspot, steep"], places)
    first, second = (numbers(d) for d in paths(root, "roof"))
    check(first[:2] == second[:2] and first[3:] == second[3:], f"roofs {first} {second}")
    level = next(float(t.get("y")) - 4 for t in root.iter(SVG + "text") if t.get("class") == "tick end" and t.text == "4")
    check(abs(first[3] - level) < 0.1, "the flat roof lies at four instructions a cycle")
    check(abs(first[2] - first[0] - 2 * (second[2] - second[0])) < 0.3, f"corners at {first[2]} and {second[2]}")


def over_time(folder, page, drawn):
    """Means weighted by time: over all intervals they are the run's own."""
    with open(f"{folder}/results.csv", encoding="utf-8") as file:
        results = {(r["trace"], r["name"]): float(r["value"]) for r in csv.DictReader(file)
                   if r["variant"] == "malekeh-long" and r["launch"] == "0" and r["name"] in ("ipc", "rf.bank_reads", "cycles")}
    for trace in ("divergent", "hotspot"):
        head, *rows = page.tables[f"time-{trace}"]
        check(head == ["cycle", "ipc (thread instructions/cycle)", "rf.bank_reads a cycle"], head)
        cycles = results[trace, "cycles"]
        length = cycles / len(rows)
        check(length >= 500, f"{trace}: intervals of {length} cycles, shorter than half of what was sampled")
        ipc, reads = (sum(float(r[c]) for r in rows) / len(rows) for c in (1, 2))
        check(near(ipc, results[trace, "ipc"]), f"{trace}: the mean over time is {ipc}, the run's IPC {results[trace, 'ipc']}")
        check(near(reads * cycles, results[trace, "rf.bank_reads"]), f"{trace}: {reads * cycles} reads")
        steps = paths(drawn[f"time-{trace}"]["root"], "path")
        check(len(steps) == 2 and all(d.count("H") == len(rows) for d in steps), f"{trace}: steps, one an interval")


def sweeps(folder, drawn, text):
    root, (_, rows) = drawn["map"]["root"], rows_of(folder, "map")
    cells = [t for t in texts(root) if re.fullmatch(r"\d\.\d{3}", t)]
    check(cells == [f"{float(r[c]):.3f}" for c in (1, 2) for r in rows], f"the map shows {cells}")
    check([p["rows"] for p in drawn["map"]["places"]] == 2 * [[r] for r in range(len(rows))], "every cell is a place")
    check(any("rf.banks (banks/sub-core)" in t for t in texts(root)), "the map names its axes")
    lines = paths(drawn["two"]["root"], "path")
    check(len(lines) == 3 and all(d.count("L") == 1 for d in lines), "a line per second axis")
    check([p["rows"] for p in drawn["two"]["places"]] == [[0, 1, 2], [3, 4, 5]], "a place has all points of its x")
    check("malekeh.ct_entries (registers/CCU)" in texts(drawn["one"]["root"]), "an axis has the option's name")
    check(numbers(paths(drawn["one"]["root"], "path")[0])[::2] == [48.0, 360.0], "two points reach from edge to edge")
    at = numbers(paths(drawn["far"]["root"], "path")[0])[::2]
    check(abs(at[1] - at[0] - (at[2] - at[1])) < 0.2 and abs(at[3] - at[2] - 2 * (at[2] - at[1])) < 0.3, f"1, 2, 4, 16 at {at}")
    check([t for t in texts(drawn["far"]["root"]) if t in ("1", "2", "4", "8", "16")][:4] == ["1", "2", "4", "16"], "a tick a point")
    check("three" not in drawn and "a sweep over 3 options" in text, "three options have no line")
    check("negative" not in drawn and "cannot show a number below 0" in text, "a stack has no negative part")
    check("nothing" not in drawn and "There is no number to draw" in text, "no number, no picture")


def well_formed(folder, page, text):
    check(not page.faults, page.faults[:5])
    check(page.count["main"] == 1 and page.count["script"] == 3, page.count)
    check(len(text) < 1000000, len(text))
    data = json.loads(page.data)
    check(len(data["runs"]) == 2 * (3 + 2 + 6 + 4 + 8), len(data["runs"]))
    check(all(run[2] == 0 and run[3] > 0 for run in data["runs"]), "every run has its cycles")
    for wrong, fault in (("<p><b></p>", "closes"), ("<i id=a></i><i id=a></i>", "twice"), ("<a href='#b'></a>", "nowhere"),
                         ("<table><tr><th>x</th></tr></table>", "scope"), ("<script src=x></script>", "another file")):
        check(any(fault in f for f in Page(wrong).faults), f"the check sees {wrong}")


def refused(smrf, work):
    for rows, axes in (("mal", "{rf.banks: [2, 4]}"), ("mal", "{rf.banks: [2], rf.collectors: [2], rf.ports: [1]}")):
        with open(f"{work}/wrong.yaml", "w", encoding="utf-8") as file:
            file.write(f"traces: [{work}/../*]\nvariants: {{baseline: }}\nsweeps: {{mal: {{of: baseline, axes: {axes}}}}}\n"
                       f"figures: {{f: {{rows: {rows}, columns: {{i: mean(ipc)}}, plot: map}}}}\n".replace(f"{work}/../*", SOURCE + "/traces/bundled/gemm"))
        o = subprocess.run([smrf, "study", f"{work}/wrong.yaml", "-o", f"{work}/no"], capture_output=True, text=True, check=False)
        check(o.returncode == 2 and "two axes" in o.stderr or "rf.ports" in o.stderr, o.stderr)


# --- in a browser -----------------------------------------------------------------------------------

PROBE = r"""
const d=f.contentDocument,w=f.contentWindow,e=d.documentElement,out={};
const all=q=>[...d.querySelectorAll(q)],lum=c=>{const v=c.match(/[\d.]+/g).slice(0,3).map(x=>{x/=255;return x<=.03928?x/12.92:((x+.055)/1.055)**2.4});return .2126*v[0]+.7152*v[1]+.0722*v[2]};
const paper=lum(w.getComputedStyle(d.body).backgroundColor),ratio=c=>{const l=lum(c);return (Math.max(l,paper)+.05)/(Math.min(l,paper)+.05)};
out.wide=e.scrollWidth-e.clientWidth;out.paper=paper;
out.ink=ratio(w.getComputedStyle(d.body).color);
out.soft=Math.min(...all('.plot text:not(.on-dark):not(.on-light)').map(t=>ratio(w.getComputedStyle(t).fill)));
out.marks=Math.min(...all('.plot .marks').map(t=>ratio(w.getComputedStyle(t).fill)));
out.clipped=all('.plot text').filter(t=>{const b=t.getBBox(),v=t.ownerSVGElement.viewBox.baseVal;return b.x<-1||b.x+b.width>v.width+1||b.y<-1||b.y+b.height>v.height+2}).map(t=>t.textContent);
out.files=w.performance.getEntriesByType('resource').length;
const svg=d.querySelector('#dots .plot');
svg.scrollIntoView();
out.drawn=svg.getBoundingClientRect().width;
const b=svg.getBoundingClientRect(),row=[...svg.querySelectorAll('text.end')][1].getBoundingClientRect(),tip=()=>d.getElementById('tip');
svg.onpointermove({clientX:b.left+60,clientY:row.top+row.height/2});
out.tip=tip().textContent;out.hot=d.querySelectorAll('.hot').length;
svg.onpointerleave();out.gone=tip().hidden&&!d.querySelector('.hot');
svg.onkeydown({key:'ArrowDown',preventDefault(){}});svg.onkeydown({key:'ArrowDown',preventDefault(){}});
out.keys=tip().textContent;svg.onblur();
out.label=svg.getAttribute('aria-label');out.drawings=all('.frame .plot').length;out.frames=all('.frame').length;
let saved='';const href=w.URL.createObjectURL;w.URL.createObjectURL=blob=>{saved=blob;return href.call(w.URL,blob)};
w.HTMLAnchorElement.prototype.click=function(){out.name=this.download};
d.querySelector('#dots .save').click();saved.text().then(t=>{out.file=t});
const first=()=>all('#list tbody th').map(t=>t.textContent).slice(0,1)[0],count=()=>all('#list tbody tr').length;
out.rows=count();
const head=all('#list thead button').filter(t=>t.textContent=='cycles')[0];
const cycles=()=>all('#list tbody tr').map(r=>+r.cells[5].textContent.replace(/,/g,''));
head.click();out.up=cycles();head.click();out.down=cycles();
out.sorted=head.parentNode.getAttribute('aria-sort');
const set=(n,v)=>{const i=d.querySelector('#list [name='+n+']');i.value=v;i.form.oninput()};
set('mechanism','malekeh-long');out.mechanism=count();
set('group','one');out.group=count();
set('program','hotspot');out.program=count();
out.hidden=all('#dots tr[data-trace]').filter(r=>r.hidden).length;
set('program','');set('group','');set('mechanism','');
w.location.hash='run-1-1';
setTimeout(()=>{out.run=(d.querySelector('.run')||d.body).textContent;told.textContent='told '+JSON.stringify(out)+' end'},300);
"""


def look(folder, profile, width, dark, page="report.html", probe=PROBE):
    with open(f"{folder}/frame.html", "w", encoding="utf-8") as file:
        file.write(f"<body style='margin:0'><iframe id=f src={page} style='border:0;height:900px;width:{width}px'></iframe>"
                   f"<pre id=told></pre><script>onload=()=>{{{probe}}}</script>")
    o = subprocess.run(["timeout", "90", "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
                        f"--user-data-dir={profile}", f"--blink-settings=preferredColorScheme={0 if dark else 1}",
                        "--virtual-time-budget=4000", "--window-size=1400,1000", "--dump-dom", f"file://{folder}/frame.html"],
                       capture_output=True, text=True, check=False)
    found = re.search(r"told (\{.*\}) end</pre>", o.stdout, re.S)
    check(found, "the browser told nothing: " + o.stdout[-500:] + o.stderr[-500:])
    return json.loads(found.group(1).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))


def browser(folder, work):
    _, rows = rows_of(folder, "dots")
    for width in (390, 1280):
        for dark in (False, True):
            o, of = look(folder, f"{work}/profile", width, dark), f"{width} pixels, {'dark' if dark else 'light'}: "
            check(o["wide"] == 0 and not o["clipped"], of + f"{o['wide']} pixels too wide, clipped {o['clipped']}")
            check(o["paper"] < 0.05 if dark else o["paper"] > 0.9, of + f"the paper is {o['paper']}")
            check(o["ink"] > 7 and o["soft"] > 4.5 and o["marks"] > 3, of + f"contrast {o['ink']} {o['soft']} {o['marks']}")
            check(o["drawn"] > 340 if width == 390 else o["drawn"] > 560, of + f"a figure is {o['drawn']} wide")
            check(o["files"] == 0, of + "the page asked for a file")
            check(rows[1][0] in o["tip"] and f"{float(rows[1][1]):.3f}" in o["tip"], of + o["tip"])
            check(o["keys"] == o["tip"] and o["hot"] == 1 and o["gone"], of + f"keys: {o['keys']}")
            check(o["drawings"] == o["frames"] == 13 and "The table below" in o["label"], of + f"{o['drawings']} of {o['frames']} drawn")
            root = xml.fromstring(o["file"])
            check(o["name"] == "dots.svg" and ".plot{" in root.find(SVG + "style").text and rows[1][0] in texts(root), of + o["file"][:200])
            check(o["up"] == sorted(o["up"]) and o["down"] == sorted(o["down"], reverse=True), of + "cycles are sorted")
            check(o["up"] != o["down"] and o["sorted"] == "descending", of + str(o["sorted"]))
            check((o["rows"], o["mechanism"], o["group"], o["program"]) == (46, 18, 9, 0), of + f"filtered: {o}")
            check(o["hidden"] == 2, of + "the filter holds for the figures' tables")
            check("hotspot under malekeh-long" in o["run"] and "smrf profile -m malekeh-long" in o["run"], of + o["run"][:300])


def main():
    smrf, what = os.path.abspath(sys.argv[1]), sys.argv[3]
    needs = "chromium" if what == "browser" else "node"
    if not shutil.which(needs):
        print(f"there is no {needs}")
        return 77
    with tempfile.TemporaryDirectory() as work:
        folder = f"{work}/out"
        with open(f"{work}/every.yaml", "w", encoding="utf-8") as file:
            file.write(STUDY.format(source=SOURCE))
        subprocess.run([smrf, "study", f"{work}/every.yaml", "-o", folder], check=True, stdout=subprocess.DEVNULL)
        with open(f"{folder}/report.html", encoding="utf-8") as file:
            text = file.read()
        if what == "browser":
            browser(folder, work)
        else:
            page = Page(text)
            well_formed(folder, page, text)
            drawn = pictures(page)
            stacks(folder, drawn)
            dots(folder, drawn)
            roofs(drawn)
            over_time(folder, page, drawn)
            sweeps(folder, drawn, text)
            refused(smrf, work)
    return 0


SOURCE = os.path.abspath(sys.argv[2])
if __name__ == "__main__":
    sys.exit(main())
