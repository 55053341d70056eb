// SPDX-License-Identifier: Apache-2.0
// The report of smrf study as a page: it stands alone and fits its window.
#include "firmware/kernels/suite.h"
#include "tests/support/study_folder.h"

#include <algorithm>

using namespace smrf_test;

namespace
{

TEST_F(study, WithoutSweepsTheirFiguresAreLeftOut)
{
    const char *root = std::getenv("SMRF_SOURCE_DIR");
    const std::string trace = std::string(root ? root : ".") + "/traces/bundled/divergent";
    outcome o = smrf(folder, "study malekeh --no-sweeps --seeds 1 -o " + out + " " + trace);
    ASSERT_EQ(0, o.status) << o.err;
    const document d = result();
    EXPECT_EQ(nullptr, json_object_get(d.at("tables"), "sensitivity-rthld"));
    EXPECT_NE(nullptr, json_object_get(d.at("tables"), "fig12-ipc"));
    EXPECT_EQ("not measured", verdict(d, "operand collectors, 2 to 8: IPC"));
}

// Text, sizes and references, without a browser.
TEST_F(study, ThePageStandsAlone)
{
    tiny_trace(folder, "a");
    tiny_trace(folder, "b", 6);
    ASSERT_EQ(0, run("title: \"a <b> & \\\"c\\\"\"\n" + std::string(head) +
                     "figures:\n  f: {columns: [new], value: ipc, plot: dots, note: '<script>'}\n")
                     .status);
    const std::string page = read_file(out + "/report.html");
    for (const char *part :
         {"name=\"viewport\"", "a &lt;b&gt; &amp; &quot;c&quot;", "&lt;script&gt;", "<noscript>",
          "href=\"f.csv\"", "study ", "</html>"}) {
        EXPECT_TRUE(has(page, part)) << part;
    }
    for (const char *part :
         {"<script src", "<link", "<img", "src=", "http-equiv", "url(", "@import"}) {
        EXPECT_FALSE(has(page, part)) << part;
    }
    EXPECT_GT(500000u, page.size());
}

TEST_F(study, AFrontPageHasTheClaimsOfEveryStudy)
{
    tiny_trace(folder, "a");
    tiny_trace(folder, "b", 6);
    const std::string claims =
        "claims: [{claim: gain, place: Fig. 3, paper: 2, value: mean(ipc@new)}]\n";
    ASSERT_EQ(0, run("title: First\n" + std::string(head) + claims).status);
    const std::string first = out;
    out = folder / "second";
    ASSERT_EQ(0, run("title: Second\n" + std::string(head) + claims).status);
    const std::string page = folder / "index.html";
    outcome o = smrf(folder, "study --front=" + page + " " + first + " " + out);
    ASSERT_EQ(0, o.status) << o.err;
    const std::string text = read_file(page);
    for (const std::string &part :
         {std::string("First"), std::string("Second"), std::string("gain"), std::string("Fig. 3"),
          std::string("data-of=\"seeds\">1</td>"), out + "/report.html"}) {
        EXPECT_TRUE(has(text, part)) << part;
    }
    size_t last = 0;
    for (const char *column : {">verdict<", ">study<", ">seeds<", ">figure<", ">claim<", ">paper<",
                               ">ours<", ">unit<"}) {
        const size_t at = text.find(column);
        ASSERT_NE(std::string::npos, at) << column;
        EXPECT_LT(last, at) << column;
        last = at;
    }
    fs::remove(page);
    EXPECT_EQ(3, smrf(folder, "study --front=" + page + " " + first + " " + (folder / "a")).status);
    EXPECT_FALSE(fs::exists(page));
}

// Samples are in the store, tidy; their sums are the run's numbers; figures show them over time,
// several variants beside one another; other samples are other runs.
TEST_F(study, KeepsStatisticsByInterval)
{
    tiny_trace(folder, "a");
    tiny_trace(folder, "b", 6);
    const std::string figures =
        "figures:\n"
        "  both: {series: time, of: [baseline, new], columns: [rf.bank_reads], plot: lines, sm: "
        "0}\n"
        "  one: {series: time, of: new, columns: [ipc, rf.bank_reads], plot: lines}\n";
    const std::string section = "series: {interval: 50, by: sm, of: [ipc, rf.bank_reads]}\n";
    outcome o = run(std::string(head) + section + figures, "--set gpu.sms=2");
    ASSERT_EQ(0, o.status) << o.err;
    for (const char *trace : {"a", "b"}) {
        for (const char *variant : {"baseline", "new"}) {
            const std::string where = std::string(" WHERE name = 'rf.bank_reads' AND trace = '") +
                                      trace + "' AND variant = '" + variant + "'";
            const long long whole =
                number(out, "SELECT value FROM results" + where + " AND launch = 0");
            EXPECT_GT(whole, 0);
            EXPECT_EQ(whole, number(out, "SELECT sum(value) FROM over_time" + where));
            EXPECT_EQ(2, number(out, "SELECT count(DISTINCT sm) FROM over_time" + where));
        }
    }
    const std::string csv = read_file(out + "/series.csv");
    EXPECT_EQ(number(out, "SELECT count(*) FROM over_time") + 1,
              std::count(csv.begin(), csv.end(), '\n'));
    EXPECT_EQ(0u, csv.find("trace,group,variant,sweep,preset,mechanism,settings,seed,launch,kernel,"
                           "cycle,cycles,sm,subcore,bank,name,value\n"));
    const std::string table = read_file(out + "/both-a.csv");
    EXPECT_EQ(0u, table.find("cycle,baseline,new\n0,"));
    EXPECT_EQ(0u, read_file(out + "/one-b.csv").find("cycle,ipc,rf.bank_reads\n0,"));
    EXPECT_TRUE(draws(out, "both-b"));
    EXPECT_EQ(0,
              told_runs(run(std::string(head) + section + figures, "--set gpu.sms=2").err).made());
    const std::string other = "series: {interval: 60}\n";
    EXPECT_EQ(4, told_runs(run(std::string(head) + other, "--set gpu.sms=2").err).made());
}

// Opens a page in a browser window of a width. Returns how much wider the page is, and which texts
// of pictures are outside them.
std::string look(const study &s, const std::string &page, const std::string &width)
{
    write_file(
        s.out + "/frame.html",
        "<body style='margin:0'><iframe id=f src=" + page +
            ".html style='border:0;height:900px;width:" + width +
            "px'></iframe><pre id=told></pre><script>onload=()=>{const "
            "d=f.contentDocument,w=d.documentElement;let bad=0,of='';for(const t of "
            "d.querySelectorAll('svg text')){const b=t.getBBox(),v=t.ownerSVGElement."
            "viewBox.baseVal;if(b.x<-1||b.x+b.width>v.width+1||b.y<-1||b.y+b.height>"
            "v.height+2){bad++;of+=t.textContent+';'}}told.textContent='wide "
            "'+(w.scrollWidth-w.clientWidth)+"
            "' clipped '+bad+' texts '+d.querySelectorAll('svg text').length+' '+of}</script>");
    const std::string command =
        "timeout 60 chromium --headless=new --no-sandbox --disable-gpu "
        "--allow-file-access-from-files --user-data-dir=" +
        (s.folder / "profile") +
        " --virtual-time-budget=4000 --window-size=1400,1000 --dump-dom file://" + s.out +
        "/frame.html >" + (s.folder / "dom") + " 2>/dev/null";
    EXPECT_EQ(0, std::system(command.c_str()));
    const std::string dom = read_file(s.folder / "dom");
    const size_t at = dom.find("wide ");
    EXPECT_NE(std::string::npos, at) << dom;
    return at == std::string::npos ? "" : dom.substr(at, 400);
}

// In a browser: nothing is wider than the window, no text of a picture is outside of it.
TEST_F(study, ThePageFitsItsWindow)
{
    if (std::system("command -v chromium >/dev/null") != 0) {
        GTEST_SKIP() << "there is no chromium";
    }
    std::string programs;
    for (const char *name : {"nn", "srad", "gemm_bench_i5", "particlefilter_naive"}) {
        programs += smrf_suite_find(name) ? std::string(" --program ") + name : "";
    }
    ASSERT_EQ(0, smrf(folder, "study malekeh --no-sweeps --seeds 1 -o " + out + programs).status);
    ASSERT_EQ(0, smrf(folder, "study --front=" + out + "/index.html " + out).status);
    for (const std::string page : {"report", "index"}) {
        EXPECT_GT(500000u, fs::file_size(out + "/" + page + ".html"));
        for (const char *width : {"390", "1280"}) {
            const std::string told = look(*this, page, width);
            EXPECT_TRUE(has(told, "wide 0 clipped 0 texts ")) << page << " " << width << told;
            EXPECT_EQ(page == "index", has(told, "texts 0 "));
        }
    }
}

} // namespace
