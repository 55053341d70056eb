#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""smrf serve: the page of a study that runs, its count of runs, and what it refuses.

serve_test.py SMRF SOURCE; status 77: the program was built without libmicrohttpd.
"""
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from page_test import Page, check

STUDY = """
title: While it runs
traces: [{{path: {source}/traces/bundled/gemm}}, {{path: {source}/traces/bundled/ray}}, {{path: {source}/traces/bundled/matmul}}]
variants: {{baseline: , malekeh-long: , gto-lru: }}
derived: {{speedup: ipc / ipc@baseline}}
figures:
  f: {{columns: [malekeh-long, gto-lru], value: speedup, plot: dots, neutral: 1}}
"""


class Server:
    def __init__(self, smrf, folder, *words):
        self.process = subprocess.Popen([smrf, "serve", "--port", "0", *words, folder], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.match(r"http://127\.0\.0\.1:(\d+)/ shows ", line)
        if not found:
            raise AssertionError(line + self.process.communicate()[1])
        self.port = int(found.group(1))

    def ask(self, path, method="GET", headers=None, body=None):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        c.putrequest(method, path, skip_host=bool(headers and "Host" in headers))
        for name, value in (headers or {}).items():
            c.putheader(name, value)
        if body:
            c.putheader("Content-Length", str(len(body)))
        c.endheaders(body)
        answer = c.getresponse()
        text = answer.read().decode("utf-8", "replace")
        c.close()
        return answer.status, text, answer

    def state(self):
        status, text, _ = self.ask("/state")
        check(status == 200, text)
        return json.loads(text)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        _, err = self.process.communicate(timeout=60)
        check(self.process.returncode == 0, f"status {self.process.returncode}: {err}")
        return err


def listing(folder):
    return {name: os.lstat(f"{folder}/{name}").st_mtime_ns for name in os.listdir(folder)
            if not name.startswith("experiment.sqlite") and not os.path.isdir(f"{folder}/{name}")}


def words(smrf, work, folder):
    """What is wrong with the command line or the folder is told."""
    os.makedirs(f"{work}/empty")
    os.makedirs(f"{work}/other")
    with open(f"{work}/other/experiment.sqlite", "w", encoding="utf-8") as file:
        file.write("this is no database, although it is longer than a header of one would be\n" * 20)
    for says, status, *rest in (("which folder?", 2), ("No such file", 3, f"{work}/none"), ("has no experiment.sqlite", 3, f"{work}/empty"),
                                ("not a database", 3, f"{work}/other"), ("0 to 65535", 2, "--port", "99999", folder),
                                ("0 to 65535", 2, "--port", "x", folder), ("is no address", 2, "--address", "nowhere", folder),
                                ("one folder at a time", 2, folder, folder)):
        o = subprocess.run([smrf, "serve", *rest], capture_output=True, text=True, timeout=60, check=False)
        check(o.returncode == status and says in o.stderr, f"{rest}: {o.returncode} {o.stderr}")


def damaged(smrf, folder):
    path = f"{folder}/command.json"
    with open(path, encoding="utf-8") as file:
        kept = file.read()
    for text in ("{", "[]", '{"command": "run", "folder": "/", "words": []}', '{"command": "study", "folder": "/", "words": [1]}'):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        o = subprocess.run([smrf, "serve", "--port", "0", folder], capture_output=True, text=True, timeout=60, check=False)
        check(o.returncode == 3 and "is no command of smrf study" in o.stderr, f"{text}: {o.returncode} {o.stderr}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(kept)


def live(smrf, work, folder):
    """The page follows the runs until all are there."""
    study = subprocess.Popen([smrf, "study", "mine.yaml", "-o", "out", "-j", "1"], cwd=work, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    for _ in range(600):
        if os.path.exists(f"{folder}/command.json"):
            break
        time.sleep(0.05)
    server, seen = Server(smrf, folder), []
    for _ in range(600):
        seen.append(server.state())
        check(not seen[-1]["error"], seen[-1])
        if seen[-1]["planned"] == seen[-1]["whole"] == 9:
            break
        time.sleep(0.1)
    check(seen[-1]["whole"] == 9 and seen[-1]["failed"] == 0, seen[-1])
    check(study.wait(timeout=120) == 0, "the study went on beside it")
    for _ in range(300):
        status, text, answer = server.ask("/")
        if status == 200 and "are missing" not in text:
            break
        time.sleep(0.1)
    check(status == 200 and "<h1>While it runs</h1>" in text and "are missing" not in text, text[:300])
    check(len(json.loads(Page(text).data)["runs"]) == 9 and not Page(text).faults, Page(text).faults)
    check("script-src" in answer.getheader("Content-Security-Policy") and answer.getheader("Cache-Control") == "no-store", "headers")
    check(server.state()["version"] >= 1, "pages are counted")
    return server


def in_browser(server, work):
    """The page that is served draws its figure and counts the runs, within what its headers allow."""
    if not shutil.which("chromium"):
        return
    os.makedirs(f"{work}/browser")
    o = subprocess.run(["timeout", "90", "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={work}/browser",
                        "--virtual-time-budget=6000", "--dump-dom", f"http://127.0.0.1:{server.port}/"],
                       capture_output=True, text=True, env=dict(os.environ, TMPDIR=f"{work}/browser"), check=False)
    check(o.stdout.count('class="plot"') == 1 and 'class="marks c1"' in o.stdout, "the figure is drawn: " + o.stdout[:500])
    check("9 of 9 runs<" in o.stdout, "the runs are counted")


def refused(server, work, folder):
    """Only plain files of the folder, only reading, only for this machine."""
    with open(f"{work}/secret.csv", "w", encoding="utf-8") as file:
        file.write("secret")
    with open(f"{folder}/.hidden.csv", "w", encoding="utf-8") as file:
        file.write("secret")
    os.symlink(f"{work}/secret.csv", f"{folder}/link.csv")
    os.mkfifo(f"{folder}/pipe.csv")
    os.makedirs(f"{folder}/below.csv")
    before = listing(folder)
    for path in ("/../secret.csv", "/..%2fsecret.csv", "/%2e%2e/secret.csv", f"/{work}/secret.csv", f"//{work}/secret.csv",
                 "/f.csv/../../secret.csv", "/link.csv", "/.hidden.csv", "/pipe.csv", "/below.csv", "/experiment.sqlite",
                 "/runs/x.csv", "/none.csv", "/f.csv%00.html", "/..", "/%", "/" + "a" * 5000 + ".csv"):
        status, text, _ = server.ask(path)
        check(status in (400, 404, 414) or path == "/f.csv%00.html", f"{path}: {status}")
        check("secret" not in text, path)
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
        status, _, answer = server.ask("/", method, body=b"x" * 100000 if method in ("POST", "PUT") else None)
        check(status == 405 and answer.getheader("Allow") == "GET, HEAD", f"{method}: {status}")
    for host, wanted in (("evil.example", 403), (f"evil.example:{server.port}", 403), ("127.0.0.1.evil.example", 403),
                         (f"localhost:{server.port}", 200), ("127.0.0.1", 200)):
        check(server.ask("/state", headers={"Host": host})[0] == wanted, host)
    check(server.ask("/f.csv")[1].startswith("trace,malekeh-long"), "a file of the folder")
    status, text, answer = server.ask("/", "HEAD")
    check(status == 200 and text == "" and int(answer.getheader("Content-Length")) > 1000, "HEAD")
    for noise in (b"\x00\xff" * 100 + b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"x: y\r\n" * 9000 + b"\r\n"):
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as s:
            try:
                s.sendall(noise)
                s.recv(100)
            except OSError:
                pass
    check(server.state()["whole"] == 9, "it lives")
    check(listing(folder) == before, "nothing in the folder has changed")
    with open("/proc/net/tcp", encoding="ascii") as file:
        listens = [l.split()[1] for l in file if l.split()[3] == "0A" and l.split()[1].endswith(f":{server.port:04X}")]
    check(listens == [f"0100007F:{server.port:04X}"], f"it listens on {listens}")


def others(smrf, work):
    """A sweep and a comparison have a page, too; --page alone leaves the folder as it is."""
    trace = f"{SOURCE}/traces/bundled/divergent"
    for name, command in (("s", ["sweep", "--axis", "rf.banks=2,4", "--axis", "rf.collectors=2,4", "--", trace]),
                          ("c", ["compare", "-m", "malekeh-long", trace])):
        at = [command[0], "-o", f"{work}/{name}", *command[1:]]
        subprocess.run([smrf, *at], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(f"{work}/{name}/report.html", encoding="utf-8") as file:
            check(not Page(file.read()).faults, name)
        server = Server(smrf, f"{work}/{name}")
        for _ in range(300):
            status, text, _ = server.ask("/")
            if status == 200 and server.state()["version"]:
                break
            time.sleep(0.1)
        check(server.state()["version"] == 1 and not server.state()["error"], f"{name}: {server.state()}")
        check("rf.banks" in text if name == "s" else "IPC, baseline = 1" in text, text[:300])
        server.end()
        before = listing(f"{work}/{name}")
        o = subprocess.run([smrf, command[0], "--report", f"--page={work}/{name}.html", *at[1:]], capture_output=True, text=True, check=False)
        check(o.returncode == 0 and listing(f"{work}/{name}") == before, o.stderr)
        with open(f"{work}/{name}.html", encoding="utf-8") as file:
            page = Page(file.read())
        check(not page.faults and "scope" not in page.links, page.faults)


def main():
    smrf = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as work:
        folder = f"{work}/out"
        os.environ["TMPDIR"] = f"{work}/t"
        os.makedirs(f"{work}/t")
        with open(f"{work}/mine.yaml", "w", encoding="utf-8") as file:
            file.write(STUDY.format(source=SOURCE))
        o = subprocess.run([smrf, "serve", work], capture_output=True, text=True, check=False)
        if "built without libmicrohttpd" in o.stderr:
            check(o.returncode == 2, o.stderr)
            print(o.stderr)
            return 77
        server = live(smrf, work, folder)
        in_browser(server, work)
        refused(server, work, folder)
        server.end()
        check(os.listdir(f"{work}/t") == [], "nothing is left behind")
        words(smrf, work, folder)
        damaged(smrf, folder)
        os.environ["TMPDIR"] = "/tmp"
        others(smrf, work)
    return 0


SOURCE = os.path.abspath(sys.argv[2])
if __name__ == "__main__":
    sys.exit(main())
