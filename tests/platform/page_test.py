#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of a study: its pictures show the numbers, its HTML is well formed and stands alone, and
in a browser it answers at two widths in light and in dark.

page_test.py SMRF SOURCE plots|browser; status 77: there is no browser.
"""
import csv
import html.parser
import json
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
sweeps:
  mal: {{of: malekeh-long, axes: {{malekeh.ct_entries: [4, 8]}}}}
  both: {{of: malekeh-long, axes: {{rf.banks: [2, 4], rf.collectors: [2, 4, 8]}}}}
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
  three: {{rows: three, columns: {{IPC: geomean(speedup)}}, plot: lines}}
  time: {{series: time, of: malekeh-long, columns: [ipc, rf.bank_reads], plot: lines, digits: 9}}
  roofline: {{columns: [baseline, malekeh-long], plot: roofline}}
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
        self.count, self.tables, self.data = {}, {}, ""
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
        if tag == "script" and a.get("id") == "data":
            self.cell = "data"
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


def rows_of(folder, figure):
    with open(f"{folder}/{figure}.csv", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return rows[0], rows[1:]


def svg_of(folder, figure):
    root = xml.parse(f"{folder}/{figure}.svg").getroot()
    wide = float(root.get("width"))
    for rect in root.iter(SVG + "rect"):
        end = float(rect.get("x", 0)) + float(rect.get("width"))
        check(end <= wide + 0.5, f"{figure}: a rectangle ends at {end} of {wide}")
    return root


def texts(root):
    return ["".join(t.itertext()) for t in root.iter(SVG + "text")]


def stacks(folder):
    """Bars are as long as their sums, and the axis ends behind the longest."""
    for figure in ("counts", "shares"):
        root, (_, rows) = svg_of(folder, figure), rows_of(folder, figure)
        bars = [r for r in root.iter(SVG + "rect") if r.get("class", "").startswith("s") and r.get("height") != "8"]
        values = [float(v) for row in rows for v in row[1:] if float(v) > 0]
        widths = [float(b.get("width")) for b in bars]
        check(len(values) == len(widths), f"{figure}: {len(widths)} bars for {len(values)} values")
        scale = sum(widths) / sum(values)
        for value, width in zip(values, widths):
            check(abs(width - scale * value) < 0.2, f"{figure}: {value} is {width} long, not {scale * value}")
        check(max(widths) > 60, f"{figure}: the longest bar is {max(widths)}")
    longest = max(sum(float(v) for v in row[1:]) for row in rows_of(folder, "counts")[1])
    ticks = [float(t) for t in texts(svg_of(folder, "counts")) if re.fullmatch(r"[0-9]+", t)]
    check(longest <= max(ticks) < 2 * longest, f"the axis of counts ends at {max(ticks)}, not behind {longest}")
    check("1.0" in texts(svg_of(folder, "shares")), "shares end at 1")


def over_time(folder, page):
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
        paths = [p for p in svg_of(folder, f"time-{trace}").iter(SVG + "path") if p.get("class", "").startswith("path")]
        check(all(p.get("d").count("H") == len(rows) for p in paths), f"{trace}: steps, one an interval")


def sweeps(folder, page, text):
    root, (_, rows) = svg_of(folder, "map"), rows_of(folder, "map")
    cells = [t for t in texts(root) if re.fullmatch(r"\d\.\d{3}", t)]
    check(cells == [f"{float(r[c]):.3f}" for c in (1, 2) for r in rows], f"the map shows {cells}")
    check(any("rf.banks (banks/sub-core)" in t for t in texts(root)), "the map names its axes")
    lines = [p for p in svg_of(folder, "two").iter(SVG + "path") if p.get("class", "").startswith("path")]
    check(len(lines) == 3 and all(p.get("d").count("L") == 1 for p in lines), "a line per second axis")
    check("malekeh.ct_entries (registers/CCU)" in texts(svg_of(folder, "one")), "an axis has the option's name")
    check(not os.path.exists(f"{folder}/three.svg") and "a sweep over 3 options" in text, "three options have no line")
    check(not os.path.exists(f"{folder}/negative.svg") and "cannot show a number below 0" in text, "a stack has no negative part")
    check(not os.path.exists(f"{folder}/nothing.svg"), "no number, no picture")
    for figure in ("dots", "roofline"):
        svg_of(folder, figure)


def well_formed(folder, page, text):
    check(not page.faults, page.faults[:5])
    check(page.count["main"] == 1 and page.count["script"] == 2, page.count)
    check(len(text) < 1000000, len(text))
    data = json.loads(page.data)
    check(len(data["runs"]) == 2 * (2 + 2 + 6 + 8), len(data["runs"]))
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
const svg=all('#dots .plot').filter(s=>s.getBoundingClientRect().width>0)[0];
svg.scrollIntoView();
out.drawn=svg.getBoundingClientRect().width;
const b=svg.getBoundingClientRect(),[,top,pitch]=svg.dataset.hover.split(' ').map(Number),k=b.width/svg.viewBox.baseVal.width;
svg.onpointermove({clientX:b.left+60,clientY:b.top+(top+1.5*pitch)*k});
out.tip=d.getElementById('tip').textContent;
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
            check(o["up"] == sorted(o["up"]) and o["down"] == sorted(o["down"], reverse=True), of + "cycles are sorted")
            check(o["up"] != o["down"] and o["sorted"] == "descending", of + str(o["sorted"]))
            check((o["rows"], o["mechanism"], o["group"], o["program"]) == (36, 18, 9, 0), of + f"filtered: {o}")
            check(o["hidden"] == 2, of + "the filter holds for the figures' tables")
            check("hotspot under malekeh-long" in o["run"] and "smrf profile -m malekeh-long" in o["run"], of + o["run"][:300])


def main():
    smrf, what = os.path.abspath(sys.argv[1]), sys.argv[3]
    if what == "browser" and not shutil.which("chromium"):
        print("there is no chromium")
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
            stacks(folder)
            over_time(folder, page)
            sweeps(folder, page, text)
            refused(smrf, work)
    return 0


SOURCE = os.path.abspath(sys.argv[2])
if __name__ == "__main__":
    sys.exit(main())
