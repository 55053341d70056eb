#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every option has a user: a preset or a study sets it, or a configuration of Accel-Sim does, or
docs/options.md says what it is for. An option that the page lists and that has a user is an error, too.

check_options.py SMRF SOURCE_DIR; exit status 1: an option is not as it should be.
"""
import glob
import re
import subprocess
import sys


def options(smrf):
    told = subprocess.run([smrf, "list", "options", "--all"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^\s+([a-z0-9_]+\.[a-z0-9_.]+)\s", told, re.M)


def keys_of(text):
    """Keys of a YAML file: dotted ones, and nested ones with the names above them."""
    found, above = set(), []
    for line in text.splitlines():
        line = line.split(" #")[0] if not line.lstrip().startswith("#") else ""
        found.update(re.findall(r"[a-z0-9_]+(?:\.[a-z0-9_]+)+", line))
        key = re.match(r"( *)([a-z0-9_]+):", line)
        if key:
            above = [a for a in above if a[0] < len(key.group(1))] + [(len(key.group(1)), key.group(2))]
            path = ".".join(name for _, name in above)
            found.add(path)
            found.update(f"{path}.{name}" for name in re.findall(r"[{,]\s*([a-z0-9_]+):", line))
    return found


def read(paths):
    return "\n".join(open(path, encoding="utf-8").read() for path in sorted(paths))


def faults(keys, source):
    yaml = keys_of(read(glob.glob(f"{source}/platform/presets/*") + glob.glob(f"{source}/platform/study/*")))
    translated = read(glob.glob(f"{source}/platform/config/gpgpusim*.c"))
    page = read([f"{source}/docs/options.md"])
    listed = re.findall(r"`([a-z0-9_]+\.[a-z0-9_]+)`", "\n".join(l for l in page.splitlines() if l.startswith("|")))
    used = {k for k in keys if k in yaml or "SMRF_P_" + k.replace(".", "_") in translated}
    return ([f"{k}: no preset, study or configuration of Accel-Sim sets it, and docs/options.md does not say what it is for"
             for k in keys if k not in used and k not in listed] +
            [f"{k}: docs/options.md lists it, but it is set" for k in listed if k in used] +
            [f"{k}: docs/options.md lists it twice" for k in sorted(set(listed)) if listed.count(k) > 1] +
            [f"{k}: docs/options.md lists it, but there is no such option" for k in listed if k not in keys])


def main():
    keys, source = options(sys.argv[1]), sys.argv[2]
    found = faults(keys, source)
    print("\n".join(found) if found else f"{len(keys)} options, each with a user")
    for wrong, of in ((keys + ["rf.nobody"], "rf.nobody: no preset"), ([k for k in keys if k != "sim.seed"], "sim.seed: docs/options.md lists it, but there")):
        if not any(f.startswith(of) for f in faults(wrong, source)):
            print(f"the check does not see {of}")
            return 1
    return 1 if found or len(keys) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
