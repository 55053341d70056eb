# SPDX-License-Identifier: Apache-2.0
"""The package smrf against the library of this build.

usage: test_smrf.py SOURCE_DIR BUILD_DIR [unittest's arguments]
"""

import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE, BUILD = Path(sys.argv.pop(1)), Path(sys.argv.pop(1))
sys.path.insert(0, str(SOURCE / "python"))

import smrf  # noqa: E402

HOTSPOT = SOURCE / "traces/bundled/hotspot"
DIVERGENT = SOURCE / "traces/bundled/divergent"
PANDAS = importlib.util.find_spec("pandas") is not None


class Run(unittest.TestCase):
    def test_numbers_are_those_of_the_program(self):
        out = subprocess.run(
            [BUILD / "smrf", "run", "--engine=direct", "-m", "malekeh-long", "-s", "gpu.sms=2"]
            + ["--json", "-", str(HOTSPOT)],
            capture_output=True,
            check=True,
        )
        theirs = json.loads(out.stdout)
        ours = smrf.run(HOTSPOT, mechanism="malekeh-long", set={"gpu.sms": 2})
        self.assertEqual(ours.cycles, theirs["cycles"])
        self.assertEqual(ours["rf.hit_ratio"], theirs["rf"]["hit_ratio"])
        self.assertEqual(ours.rf.waits.port, theirs["rf"]["waits"]["port"])
        self.assertEqual(ours.config["gpu.sms"], 2)
        self.assertEqual(ours.mechanism, "malekeh-long")
        self.assertEqual([k["name"] for k in theirs["kernels"]], [o.kernel for o in ours.launches])
        self.assertEqual(sum(o.cycles for o in ours.launches), ours.cycles)
        self.assertTrue(ours.complete)
        self.assertGreater(ours.rf.hit_ratio, 0)

    def test_names_are_looked_up_and_listed(self):
        result = smrf.run(DIVERGENT)
        self.assertIn("rf.hit_ratio", result)
        self.assertIn("rf.hit_ratio", list(result))
        self.assertEqual(len(result), len(result.numbers()))
        self.assertIn("rf", dir(result))
        with self.assertRaisesRegex(KeyError, "rf.hit_ratio"):
            result["rf.hit_ration"]
        with self.assertRaisesRegex(AttributeError, "rf.hit_rat"):
            result.rf.hit_rat
        self.assertEqual(result.rows()[0]["kernel"], result.launches[0].kernel)
        self.assertEqual(result.row()["preset"], "rtx2060-paper")

    def test_a_run_can_end_early_and_several_traces_follow_one_another(self):
        part = smrf.run(HOTSPOT, cycles=1000)
        self.assertEqual(part.cycles, 1000)
        self.assertFalse(part.complete)
        both = smrf.run([DIVERGENT, HOTSPOT])
        self.assertEqual(len(both.launches), len(part.launches) + 1 + 1)

    def test_both_engines_give_the_same(self):
        direct = smrf.run(DIVERGENT)
        systemc = smrf.run(DIVERGENT, engine="systemc")
        self.assertEqual(direct["cycles"], systemc["cycles"])

    def test_statistics_have_units_and_meanings(self):
        with smrf.Platform() as platform:
            platform.configure(mechanism="malekeh-long")
            found = {s["name"]: s for s in platform.statistics()}
        self.assertTrue(found["cycles"]["is_count"])
        self.assertEqual(found["rf.hit_ratio"]["unit"], "")
        self.assertTrue(any(name.startswith("mechanism.") for name in found))


class Errors(unittest.TestCase):
    def test_each_is_an_exception_with_the_librarys_text(self):
        with self.assertRaisesRegex(smrf.UnknownName, "rf.bank"):
            smrf.run(HOTSPOT, set={"rf.bank": 4})
        with self.assertRaisesRegex(smrf.UnknownName, "malekee"):
            smrf.run(HOTSPOT, mechanism="malekee")
        with self.assertRaisesRegex(smrf.Error, "99999"):
            smrf.run(HOTSPOT, set={"rf.banks": 99999})
        with self.assertRaisesRegex(smrf.FileError, "/nowhere") as caught:
            smrf.run("/nowhere")
        self.assertEqual(caught.exception.code, -3)
        self.assertIsInstance(caught.exception, OSError)

    def test_a_run_that_fails_keeps_its_numbers(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(HOTSPOT, folder, dirs_exist_ok=True)
            lists = Path(folder) / "kernelslist.g"
            lines = lists.read_text().splitlines()
            lists.write_text("\n".join([*lines[:-1], "kernel-99.traceg"]) + "\n")
            with self.assertRaisesRegex(smrf.FileError, "kernel-99") as caught:
                smrf.run(folder)
        self.assertEqual(len(caught.exception.result.launches), 1)
        self.assertGreater(caught.exception.result.cycles, 1000)

    def test_an_exception_in_the_progress_ends_the_run(self):
        class Enough(Exception):
            pass

        def stop(progress):
            raise Enough(progress.kernel)

        with smrf.Platform() as platform:
            platform.configure(set={"sim.check": False})
            for _ in range(60):
                platform.add_trace(HOTSPOT)
            with self.assertRaisesRegex(Enough, "hotspot"):
                platform.run(progress=stop)
            self.assertLess(platform.result().instructions.warp, 60 * 29100)

    def test_a_closed_platform_stays_closed(self):
        platform = smrf.Platform()
        platform.close()
        platform.close()
        with self.assertRaises(smrf.ConfigurationError):
            platform.add_trace(HOTSPOT)


class Many(unittest.TestCase):
    def test_a_sweep_is_every_combination_in_order(self):
        seen = []
        table = smrf.sweep(
            [HOTSPOT, DIVERGENT],
            {"mechanism": ["baseline", "rfc"], "rf.banks": [2, 4]},
            set={"gpu.sms": 2},
            workers=2,
            progress=lambda n, of, result: seen.append((n, of)),
        )
        self.assertEqual(len(table), 8)
        self.assertEqual(sorted(seen), [(n, 8) for n in range(1, 9)])
        rows = table.rows()
        self.assertEqual(
            [(r["mechanism"], r["rf.banks"]) for r in rows[:4]],
            [("baseline", 2), ("baseline", 4), ("rfc", 2), ("rfc", 4)],
        )
        alone = smrf.run(HOTSPOT, mechanism="rfc", set={"gpu.sms": 2, "rf.banks": 4})
        self.assertEqual(table[3]["cycles"], alone["cycles"])
        self.assertEqual(len(table.where(mechanism="rfc", rf_banks=4)), 2)

    def test_a_mistake_in_a_sweep_is_raised(self):
        with self.assertRaises(smrf.UnknownName):
            smrf.sweep(HOTSPOT, {"mechanism": ["baseline", "none-such"]})

    def test_a_comparison_is_with_the_first(self):
        two = smrf.compare(HOTSPOT, ["baseline", "malekeh-long"])
        self.assertEqual(two.speedup()["baseline"], 1)
        self.assertEqual(two.speedup()["malekeh-long"], two[0].cycles / two[1].cycles)
        table = {row["statistic"]: row for row in two.table("rf.hit_ratio")}
        self.assertEqual(table["rf.hit_ratio"]["baseline"], 0)
        self.assertGreater(table["rf.hit_ratio"]["malekeh-long"], 0)


class Inside(unittest.TestCase):
    def test_a_profile_sums_up_to_the_run(self):
        profile = smrf.profile(HOTSPOT, mechanism="malekeh-long")
        rows = profile.rows()
        self.assertEqual(sum(r["issued"] for r in rows), profile.result.instructions.warp)
        self.assertTrue(any("FADD" in r["text"] or "DFMA" in r["text"] for r in rows))

    def test_a_series_sums_up_to_the_run(self):
        result = smrf.run(HOTSPOT)
        series = smrf.series(HOTSPOT, 500, ["instructions.warp", "ipc"], by="sm")
        self.assertEqual(sum(series.column("instructions.warp")), result.instructions.warp)
        self.assertEqual({sm for sm in series.column("sm")}, set(range(10)))
        self.assertEqual([row["ipc"] for row in series.rows()], series.column("ipc"))
        self.assertEqual(len(series.rows()), len(series))
        with self.assertRaisesRegex(KeyError, "no column"):
            series.column("cylce")

    def test_a_trace_is_what_a_run_replays(self):
        result = smrf.run(HOTSPOT)
        with smrf.Trace(HOTSPOT) as trace:
            launches = list(trace.launches(count=True))
            totals = trace.totals()
            self.assertEqual(trace.warnings(), [])
        self.assertEqual([t.kernel for t in launches], [o.kernel for o in result.launches])
        self.assertEqual([t.grid for t in launches], [o.grid for o in result.launches])
        self.assertEqual([t.block for t in launches], [o.block for o in result.launches])
        self.assertEqual(
            [t.warp_insts for t in launches], [o.instructions.warp for o in result.launches]
        )
        self.assertEqual(totals["thread_insts"], result.instructions.thread)
        self.assertEqual(launches[0].architecture, 75)
        self.assertEqual(launches[0].threads, 3 * 3 * 16 * 16)
        with self.assertRaises(smrf.FileError):
            smrf.Trace("/nowhere")

    def test_a_store_of_a_sweep_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "sweep"
            subprocess.run(
                [BUILD / "smrf", "sweep", "-o", str(out), "-a", "rf.banks=2,4", str(HOTSPOT)],
                capture_output=True,
                check=True,
            )
            with smrf.open_store(out) as store:
                self.assertIn("results", store.tables())
                self.assertEqual(len(store.runs()), 2)
                cycles = {row["value"] for row in store.results("cycles")}
            ours = smrf.sweep(HOTSPOT, {"rf.banks": [2, 4]})
            self.assertEqual(cycles, {r.cycles for r in ours})
            (Path(folder) / "experiment.sqlite").write_bytes(b"no database at all" * 100)
            with self.assertRaises(smrf.FormatError):
                smrf.open_store(folder)
        with self.assertRaises(smrf.FileError):
            smrf.open_store("/nowhere")


class Frames(unittest.TestCase):
    @unittest.skipIf(PANDAS, "pandas is installed")
    def test_without_pandas_the_error_says_what_to_install(self):
        with self.assertRaisesRegex(ImportError, "python3-pandas"):
            smrf.run(DIVERGENT).to_dataframe()

    @unittest.skipUnless(PANDAS, "pandas is not installed")
    def test_data_frames_have_a_row_a_launch_run_or_interval(self):
        result = smrf.run(HOTSPOT)
        frame = result.to_dataframe()
        self.assertEqual(len(frame), len(result.launches))
        self.assertEqual(frame["cycles"].sum(), result.cycles)
        frame = smrf.sweep(HOTSPOT, {"rf.banks": [2, 4]}).to_dataframe()
        self.assertEqual(list(frame["rf.banks"]), [2, 4])
        frame = smrf.series(HOTSPOT, 1000, "ipc").to_dataframe()
        self.assertIn("ipc", frame.columns)
        self.assertGreater(len(smrf.profile(HOTSPOT).to_dataframe()), 10)


class Package(unittest.TestCase):
    def test_its_version_is_the_librarys(self):
        self.assertEqual(smrf.version().split()[0], smrf.__version__)

    def test_a_library_that_is_not_there_is_an_error_with_its_place(self):
        code = "import smrf; smrf.version()"
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={"SMRF_LIBRARY": "/nowhere/libsmrf.so", "PYTHONPATH": str(SOURCE / "python")},
            capture_output=True,
            text=True,
        )
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("/nowhere/libsmrf.so", done.stderr)

    def test_every_name_is_there_and_has_a_text(self):
        for name in smrf.__all__:
            if name != "__version__":
                self.assertTrue(getattr(smrf, name).__doc__, name)


if __name__ == "__main__":
    unittest.main()
