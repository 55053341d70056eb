// SPDX-License-Identifier: Apache-2.0
// For tests of experiments: tiny traces, the program's words, and what the store then holds.
#ifndef SMRF_TEST_EXPERIMENT_FOLDER_H
#define SMRF_TEST_EXPERIMENT_FOLDER_H

#include "platform_files.h"

#include <map>
#include <sqlite3.h>

namespace smrf_test
{

// A trace whose warps run `repeat` bodies: some hundred cycles.
inline std::string tiny_trace(const temporary_folder &folder, const std::string &name,
                              unsigned repeat = 4, unsigned launches = 2)
{
    launch_shape shape = small_launch();
    shape.repeat = repeat;
    return write_trace(folder, name, shape, launches);
}

// Of a line "replaying 12 of 12 (7 were there)": all, and those that were there.
struct told_runs {
    int all = -1, there = -1;
    explicit told_runs(const std::string &err)
    {
        const size_t at = err.rfind("replaying ");
        int done = 0;
        if (at == std::string::npos ||
            std::sscanf(err.c_str() + at, "replaying %d of %d (%d were", &done, &all, &there) !=
                3 ||
            done != all) {
            ADD_FAILURE() << err;
        }
    }
    int made() const
    {
        return all - there;
    }
};

// The data that the page of a folder draws and lists, as JSON.
inline std::string page_data(const std::string &folder)
{
    const std::string page = read_file(folder + "/report.html"), head = "id=\"data\">";
    const size_t at = page.find(head);
    EXPECT_NE(std::string::npos, at);
    return at == std::string::npos
               ? "{}"
               : page.substr(at + head.size(), page.find("</script>", at) - at - head.size());
}

// Does the page of a folder draw a figure, and does it have a place for it?
inline bool draws(const std::string &folder, const std::string &id)
{
    const document data(page_data(folder));
    const std::string page = read_file(folder + "/report.html");
    const size_t section = page.find("id=\"" + id + "\""), end = page.find("</section>", section);
    const bool has_frame =
        page.substr(section, end - section).find("class=\"frame\"") < std::string::npos;
    bool drawn = false;
    size_t i;
    json_t *figure;
    json_array_foreach(data.at("figures"), i, figure)
    {
        drawn = drawn || id == json_string_value(json_object_get(figure, "id"));
    }
    EXPECT_EQ(has_frame, drawn) << id;
    return drawn;
}

// One column of a query, as text.
inline std::vector<std::string> rows(const std::string &folder, const std::string &query)
{
    sqlite3 *db = nullptr;
    sqlite3_stmt *q = nullptr;
    std::vector<std::string> found;
    EXPECT_EQ(SQLITE_OK, sqlite3_open((folder + "/experiment.sqlite").c_str(), &db));
    EXPECT_EQ(SQLITE_OK, sqlite3_prepare_v2(db, query.c_str(), -1, &q, nullptr))
        << query << ": " << sqlite3_errmsg(db);
    while (q && sqlite3_step(q) == SQLITE_ROW) {
        const auto *text = reinterpret_cast<const char *>(sqlite3_column_text(q, 0));
        found.emplace_back(text ? text : "");
    }
    sqlite3_finalize(q);
    sqlite3_close(db);
    return found;
}

inline long long number(const std::string &folder, const std::string &query)
{
    const auto found = rows(folder, query);
    EXPECT_EQ(1u, found.size()) << query;
    return found.empty() ? -1 : std::atoll(found[0].c_str());
}

inline bool has(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}

} // namespace smrf_test

#endif
