#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rules of the mechanisms, broken one by one: which whole programs tell?

usage: mutants.py SOURCE_DIR WORK_DIR [RULE..]
       mutants.py SOURCE_DIR              is every rule's text still there?

Copies the source to WORK_DIR and builds it there. Each rule of RULES is then broken, smrf built
again, and every program of its mechanism replayed, bundled traces and programs of the suite, with
the value oracle and the conservation laws. A broken rule that leaves all values right changes only
what is counted: policies.*, tests of bundled traces, must then fail. No unit test is asked, but
for rules that no program comes to (CORE).
Prints a row a rule. Exit status 1: a rule has been broken and no program has told, or a program
fails although nothing is broken. Some seconds a rule, after a build of some minutes.
"""
import os
import re
import shutil
import subprocess
import sys

BUNDLED = {"matmul", "gemm", "hotspot", "divergent", "fib", "ray"}

# Runs of a mechanism's group: programs, and the words of `smrf run`.
RUNS = {
    "larf": (["meets_own", "meets_ahead", "meets_synced", "meets_atomic", "meets_lanes",
              "meets_remote", "stores_own", "stores_racing", "stores_synced", "stencil_rows",
              "cifarnet_conv1", "divergent"], "-p larf-paper -m larf"),
    "larf-bypass": (["cifarnet_conv1", "cifarnet_conv2"], "-p larf-paper -m larf -s l1d.bypass=on"),
    "virtual-rf": (["matmul", "gemm", "hotspot", "divergent", "bfs", "ray"],
                   "-p larf-paper -m virtual-rf"),
    "cars": (["fib", "ray", "keeps"], "-p cars-paper -m cars-high -s gpu.sms=2"),
    "cars-low": (["fib", "ray", "keeps", "dispatch", "collision", "pta", "vcycle"],
                 "-p cars-paper -m cars-low -s gpu.sms=2 -s sm.registers=16384"),
    "cars-few": (["collision", "dispatch"],
                 "-p cars-paper -m cars-low -s gpu.sms=1 -s sm.registers=6144"),
    "cars-full": (["collision:medium"],
                  "-p cars-paper -m cars -s gpu.sms=5 -s l2.slices=4 -s dram.channels=2"),
    "fib-low": (["fib"], "-p cars-paper -m cars-low -s gpu.sms=2 -s sm.registers=4096"),
    "bow-0": (["matmul", "gemm"], "-m bow-long -s bow.results=0"),
    "bow-short": (["matmul", "gemm", "hotspot", "divergent"], "-m bow-short"),
    "bow": (["matmul", "gemm", "hotspot", "divergent"], "-m bow-long"),
    "malekeh": (["matmul", "gemm", "hotspot", "divergent"], "-m malekeh-long"),
    "rfc-1": (["matmul", "gemm", "hotspot", "divergent", "bfs", "srad"],
              "-m rfc -s rfc.entries=1 -s rfc.dead=off"),
    "rfc": (["matmul", "gemm", "hotspot", "divergent"], "-m rfc"),
    # Results that need no port pass those that wait for their bank.
    "rfc-ports": (["gemm", "fib", "ray"],
                  "-p rtx2060-accelsim -m rfc -s rfc.dead=off -s rfc.entries=16"),
    "ltrf-ports": (["gemm", "hotspot", "ray"], "-p rtx2060-accelsim -m ltrf"),
    "rfc-software": (["gemm", "hotspot", "ray", "bfs", "srad", "lud"], "-m rfc-software"),
    "ltrf": (["gemm", "hotspot", "ray", "bfs", "srad", "lud"], "-m ltrf"),
}

CARS = ["cars", "cars-low", "cars-few", "cars-full", "fib-low"]

# A rule that keeps values right, but that no program comes to: the test that holds it. Reads end in
# some cycles, and a place is written again tens of cycles later, after a return and a call.
CORE = {"cars-readers": "cars_fill.*"}

# Rules that are no rules: broken, they change no value, so that none stands below.
#   software-bank: a source is read from its bank while a place has other lanes of it alone. The
#     compiler sends a value to a place alone only where all reads of it, on all ways, are reads of
#     that place (placement.c: what may be read elsewhere goes to the bank as well), so that the
#     lanes that a bank lacks are none of the reader's: of 5 programs and 4 machines, none was.
#     software-live, the same file's rule for lanes that leave, stands in its place.

# name: what is broken, groups of runs, file, text, what stands in its place
RULES = {
    "larf-store": ("a store ends no sharing", ["larf"], "models/larf/controller.c",
                   "if (bytes ? smrf_amt_overlaps(&e->bytes, &store) : "
                   "smrf_amt_in_range(&e->bytes, &store)) {", "if (bytes && !e) {"),
    "larf-atomic": ("an atomic ends no sharing", ["larf"], "models/larf/controller.c",
                    "        empty_(l, &l->stats.emptied);\n        return;", "        return;"),
    "larf-fence": ("a fence ends no sharing", ["larf"], "models/larf/controller.c",
                   "    (void)f;\n    if (l->v.options.fence_empties) {",
                   "    (void)f;\n    if (!f) {"),
    "larf-ahead": ("a load shares past an older store on its way", ["larf"], "models/larf/ahead.c",
                   "(int32_t)(s->version - f->version) < 0 &&",
                   "(int32_t)(s->version - f->version) > 0 &&"),
    "larf-lanes": ("a load shares where other lanes of its register live", ["larf"],
                   "models/larf/controller.c", "if (!smrf_vrf_replaceable(&l->v, r->f, i)) {",
                   "if (!smrf_vrf_replaceable(&l->v, r->f, i) && i > 9) {"),
    "larf-merge": ("a merge takes both parts as they lie in the first", ["larf", "larf-bypass"],
                   "models/larf/controller.c", "pair->shift[p]};", "pair->shift[0]};"),
    "larf-pin": ("a part may be given away before it is merged", ["larf", "larf-bypass"],
                 "models/larf/controller.c",
                 "        smrf_vrf_pin(&l->v, e->sub, e->phys); /* until it has been merged */\n",
                 ""),
    "vrf-live": ("a register is given away while it is live", ["virtual-rf"],
                 "models/larf/renaming.c", "~facts->live.w[i]; dead;",
                 "~(facts->live.w[i] & (facts->live.w[i] - 1)); dead;"),
    "vrf-carry": ("a new register lacks the lanes that were not written", ["virtual-rf", "larf"],
                  "models/larf/renaming.c", "const bool carries = old != NONE && others;",
                  "const bool carries = old != NONE && others && i > 9;"),
    "cars-fill": ("a frame is filled a place too high", CARS,
                  "models/cars/tasks.c", "phys = smrf_cars_slot_phys_(w, slot);\n    if (spill ==",
                  "phys = smrf_cars_slot_phys_(w, slot + (t->kind == SMRF_CARS_FILL));\n"
                  "    if (spill =="),
    "cars-freed": ("a frame's registers are free at the first return", CARS,
                   "models/cars/control.c", "    release_(m, w, false);\n",
                   "    if (w->stack.depth) {\n"
                   "        w->stack.frame[w->stack.depth - 1].size = 0;\n    }\n"
                   "    release_(m, w, false);\n"),
    "cars-copies": ("a register that may be read first gets no copy", CARS,
                    "models/cars/tasks.c",
                    "const bool copy = push && !s->prefix &&",
                    "const bool copy = push && s->prefix &&"),
    "cars-restore": ("lanes return without what was spilled of them", CARS,
                     "models/cars/control.c", "if (f->out & before->mask) {",
                     "if (f->out & ~f->out & before->mask) {"),
    "cars-remove": ("saves of registers outside of the frame are left out, too",
                    CARS, "models/cars/control.c",
                    "frame >= 0 && of_frame_(s, frame, inst->op)",
                    "frame >= 0 && of_frame_(s, frame, inst->op) | 1"),
    "cars-readers": ("a register is filled before it has been read", CARS,
                     "models/cars/tasks.c",
                     "smrf_cars_place_(k->m, k->warp, reg, phys)) == 0;",
                     "smrf_cars_place_(k->m, k->warp, reg, phys)) < 9;"),
    "bow-stale": ("a result leaves older copies of its register", ["bow", "bow-0", "bow-short"],
                  "models/bow/boc.c", "        const uint32_t slots = slots_(b, p, reg);",
                  "        const uint32_t slots = ~slots_(b, p, reg);"),
    "bow-warp": ("copies live on in another warp", ["bow", "bow-short"], "models/bow/boc.c",
                 "        b->held = 0;\n        b->warp = in->warp;",
                 "        b->warp = in->warp;"),
    "ccu-stale": ("a result that is not kept leaves an older copy", ["malekeh"],
                  "models/malekeh/ccu.c", "        c->valid &= ~bit_((unsigned)e); /* else",
                  "        /* else"),
    "ccu-flush": ("a unit keeps its values for another warp", ["malekeh"], "models/malekeh/ccu.c",
                  "    c->valid = 0;\n    c->near = 0;\n    c->warp = SMRF_CCU_NO_WARP;",
                  "    c->near = 0;\n    c->warp = SMRF_CCU_NO_WARP;"),
    "sthld-sign": ("the wait climbs down", ["malekeh"], "models/malekeh/sthld.c",
                   "up = (int16_t)climb,", "up = (int16_t)-climb,"),
    "sthld-back": ("the wait goes on where it has to come down", ["malekeh"],
                   "models/malekeh/sthld.c", "{4, (int16_t)-back}", "{4, (int16_t)back}"),
    "sthld-wait": ("nothing waits for a unit with near values", ["malekeh"],
                   "models/malekeh/allocator.c", "    if (m->options->wait_inclusive ?",
                   "    if (m || m->options->wait_inclusive ?"),
    "priority": ("warps with data do not go first", ["malekeh"], "models/malekeh/allocator.c",
                 "m->options->priority == SMRF_MALEKEH_GTO ? 0 :",
                 "m->options->priority != SMRF_MALEKEH_GTO ? 0 :"),
    "replacement": ("near values are replaced before far ones", ["malekeh"],
                    "models/malekeh/ccu.c", "far = open & ~c->near;", "far = open & c->near;"),
    "filter": ("far results are written, too", ["malekeh"], "models/malekeh/ccu.c",
               "        return in->near || (present &&", "        return in || (present &&"),
    "rfc-dead": ("a live value is dropped", ["rfc", "ltrf"],
                 "models/register_cache/register_cache.c",
                 "w->known && !smrf_program_set_has(&w->live, v->reg) &&", "w->known &&"),
    "rfc-lanes": ("lanes that an entry lacks are taken from it", ["rfc", "ltrf"],
                  "models/register_cache/cached_values.c",
                  "lanes & ~v->lanes ? SMRF_CACHED_BOTH", "lanes == 0 ? SMRF_CACHED_BOTH"),
    "rfc-outdated": ("an old value goes to its bank after a newer one",
                     ["rfc-ports"], "models/register_cache/cached_values.c",
                     "            v->dirty &= ~lanes;\n", ""),
    "rfc-bank": ("a value that leaves is not written", ["rfc", "rfc-1", "rfc-software", "ltrf"],
                 "models/register_cache/cached_values.c",
                 "return v->dirty;", "return 0;"),
    "software-live": ("lanes that leave take a live result of others with them",
                      ["rfc-software"], "models/rfc_software/rfc_software.c",
                      "const bool others = v->dirty &&", "const bool others = !m && v->dirty &&"),
    "software-older": ("a value leaves older ones of its register at other places",
                       ["rfc-software"], "models/rfc_software/rfc_software.c",
                       "const bool gone = !same && (v->reg == reg ||",
                       "const bool gone = !same && (v->reg > 999 ||"),
    "ltrf-newer": ("what comes from a bank covers a newer result", ["ltrf-ports"],
                   "models/ltrf/ltrf.c", "v ? ~v->lanes : UINT32_MAX,", "UINT32_MAX,"),
    "ltrf-early": ("an interval begins before its registers have come", ["ltrf"],
                   "models/ltrf/ltrf.c", "&& !w->left && !todo_(w);", "&& w->left < 99;"),
}


def copy(source, work):
    names = subprocess.run(["git", "-C", source, "ls-files", "-z", "--cached", "--others",
                            "--exclude-standard"], check=True, capture_output=True).stdout
    for name in filter(None, names.decode().split("\0")):
        at = os.path.join(work, name)
        old = os.path.join(source, name)
        if not os.path.isfile(old):
            continue
        with open(old, "rb") as f:
            text = f.read()
        if os.path.isfile(at):
            with open(at, "rb") as f:
                if f.read() == text:
                    continue
        os.makedirs(os.path.dirname(at), exist_ok=True)
        shutil.copy2(old, at)
        os.utime(at)


def build(work, *targets):
    command = ["cmake", "--build", os.path.join(work, "build-dev"), "-j2", "--target", *targets]
    return subprocess.run(command, capture_output=True, text=True)


class Programs:
    """Replays of one build."""

    def __init__(self, work):
        self.work = work
        self.smrf = os.path.join(work, "build-dev", "smrf")

    def trace(self, program):
        if program in BUNDLED:
            return os.path.join(self.work, "traces", "bundled", program)
        at = os.path.join(self.work, "mutants", program)
        name, _, size = program.partition(":")
        if not os.path.isdir(at):
            subprocess.run([self.smrf, "trace", name, "--size", size or "small", "-q", "--format",
                            "v6", "-o", at], check=True)
        return at

    def fails(self, group):
        """Programs of a group whose replay a check of the model has ended."""
        programs, words = RUNS[group]
        found = []
        for program in programs:
            command = ["timeout", "300", self.smrf, "run", "-q", *words.split(),
                       "-s", "sim.check=on", self.trace(program)]
            if subprocess.run(command, capture_output=True).returncode != 0:
                found.append(f"{program} ({group})")
        return found

    def policies(self):
        """Tests of counts that fail."""
        tests = os.path.join(self.work, "build-dev", "tests", "platform_tests")
        told = subprocess.run([tests, "--gtest_filter=policies.*"], capture_output=True, text=True,
                              env={**os.environ, "SMRF_SOURCE_DIR": self.work}).stdout
        return sorted(set(re.findall(r"\[  FAILED  \] (policies\.\w+)", told)))

    def core(self, tests):
        """Tests of a core that fail."""
        if build(self.work, "core_tests").returncode:
            sys.exit("the core's tests cannot be built")
        told = subprocess.run([os.path.join(self.work, "build-dev", "tests", "core_tests"),
                               "--gtest_filter=" + tests], capture_output=True, text=True).stdout
        return sorted(set(re.findall(r"\[  FAILED  \] (\w+\.\w+)", told)))


def missing(source):
    """Rules whose text does not stand exactly once in its file."""
    found = []
    for name, (_, _, file, text, _) in RULES.items():
        with open(os.path.join(source, file), encoding="utf-8") as f:
            times = f.read().count(text)
        if times != 1:
            found.append(f"{name}: its text stands {times} times in {file}")
    return found


def main():
    source = sys.argv[1]
    wrong = missing(source)
    if wrong or len(sys.argv) == 2:
        sys.exit("\n".join(wrong) or 0)
    work, names = sys.argv[2], sys.argv[3:] or list(RULES)
    os.makedirs(work, exist_ok=True)
    copy(source, work)
    subprocess.run(["cmake", "-S", work, "-B", os.path.join(work, "build-dev"), "-G", "Ninja",
                    "-DCMAKE_BUILD_TYPE=RelWithDebInfo"], check=True, stdout=subprocess.DEVNULL)
    built = build(work, "smrf", "platform_tests")
    if built.returncode:
        sys.exit("it cannot be built:\n" + built.stdout[-2000:])
    programs = Programs(work)
    wrong = [p for group in RUNS for p in programs.fails(group)] + programs.policies()
    if wrong:
        sys.exit("nothing is broken, yet these fail: " + ", ".join(wrong))
    survived = 0
    print("| rule | broken | found by |\n| --- | --- | --- |", flush=True)
    for name in names:
        what, groups, file, text, instead = RULES[name]
        at = os.path.join(work, file)
        with open(at, encoding="utf-8") as f:
            right = f.read()
        with open(at, "w", encoding="utf-8") as f:
            f.write(right.replace(text, instead))
        try:
            built = build(work, "smrf")
            if built.returncode:
                sys.exit(f"{name} cannot be built:\n" + built.stdout[-2000:])
            found = [p for group in groups for p in programs.fails(group)] or programs.policies()
            found = found or (programs.core(CORE[name]) if name in CORE else [])
        finally:
            with open(at, "w", encoding="utf-8") as f:
                f.write(right)
        survived += not found
        print(f"| {name} | {what} | {', '.join(found) or '**nothing**'} |", flush=True)
    built = build(work, "smrf")
    sys.exit(1 if survived or built.returncode else 0)


if __name__ == "__main__":
    main()
