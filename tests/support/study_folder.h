// SPDX-License-Identifier: Apache-2.0
// A folder with a study of a test's own: runs it and reads its tables and claims.
#ifndef SMRF_TESTS_STUDY_FOLDER_H
#define SMRF_TESTS_STUDY_FOLDER_H

#include "tests/support/experiment_folder.h"

#include <cmath>

namespace smrf_test
{

inline const char *const head =
    "traces: [a, b]\n"                                                  // 1
    "variants:\n"                                                       // 2
    "  baseline:\n"                                                     // 3
    "  new: {mechanism: malekeh-long, set: {malekeh.ct_entries: 8}}\n"; // 4

struct mistake {
    std::string text;
    int line; // 0: of the file as a whole
    const char *says;
};

struct study : testing::Test {
    temporary_folder folder;
    std::string out = folder / "out";
    outcome run(const std::string &text, const std::string &words = "")
    {
        write_file(folder / "mine.yaml", text);
        return smrf(folder, "study " + (folder / "mine.yaml") + " -o " + out + " " + words);
    }
    document result() const
    {
        return document(read_file(out + "/study.json"));
    }
    double replay(const std::string &words, const char *path = "ipc")
    {
        outcome o = smrf(folder, "run -q --json - " + words);
        EXPECT_EQ(0, o.status) << o.err;
        return json_number_value(document(o.out).at(path));
    }
    static double cell(const document &d, const std::string &table, const std::string &row,
                       size_t column)
    {
        const json_t *rows =
            json_object_get(json_object_get(d.at("tables"), table.c_str()), "rows");
        const json_t *value = json_array_get(json_object_get(rows, row.c_str()), column);
        EXPECT_NE(nullptr, value) << table << " " << row;
        return json_is_number(value) ? json_number_value(value) : std::nan("");
    }
    static const json_t *claim(const document &d, const std::string &what)
    {
        size_t i;
        const json_t *one;
        json_array_foreach(d.at("claims"), i, one)
        {
            if (what == json_string_value(json_object_get(one, "claim"))) {
                return one;
            }
        }
        ADD_FAILURE() << what;
        return nullptr;
    }
    // Each is reported with its line, and nothing has been run.
    void refuses(const std::vector<mistake> &mistakes)
    {
        write_file(folder / "about.md", "of the traces");
        tiny_trace(folder, "a");
        tiny_trace(folder, "b", 6);
        for (const mistake &m : mistakes) {
            const outcome o = run(m.text);
            EXPECT_EQ(2, o.status) << m.text << o.err;
            EXPECT_TRUE(has(o.err, m.says)) << m.text << o.err;
            EXPECT_TRUE(
                has(o.err, "mine.yaml" + (m.line ? ":" + std::to_string(m.line) + ":" : "")))
                << m.text << o.err;
            EXPECT_FALSE(fs::exists(out)) << "nothing has been begun: " << m.text;
        }
    }
    static std::string text_of(const document &d, const std::string &what, const char *key)
    {
        return json_string_value(json_object_get(claim(d, what), key));
    }
    static std::string verdict(const document &d, const std::string &what)
    {
        return text_of(d, what, "verdict");
    }
};

} // namespace smrf_test

#endif
