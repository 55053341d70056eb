// SPDX-License-Identifier: Apache-2.0
// Every function of the C API, each of its pointers NULL in turn: an error with a text, no signal.
// A function that the header has and this list does not makes the test fail.
#include "platform/platform.h"
#include "tests/support/platform_files.h"

#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <tuple>

using namespace smrf_test;

namespace
{

// Calls functions with good arguments but for one pointer, which is NULL.
class null_walk
{
  public:
    explicit null_walk(smrf_platform *platform) : p(platform) {}

    std::set<std::string> walked;

    template <class R, class... A>
    void operator()(const char *name, R (*function)(A...), std::tuple<A...> good)
    {
        walked.insert(name);
        each(name, function, good, std::index_sequence_for<A...>());
    }

  private:
    smrf_platform *p;

    template <class First, class...>
    static constexpr bool has_platform = std::is_convertible_v<First, const smrf_platform *>;

    template <class R, class... A, size_t... I>
    void each(const char *name, R (*function)(A...), const std::tuple<A...> &good,
              std::index_sequence<I...>)
    {
        (one<I>(name, function, good), ...);
    }

    template <size_t I, class R, class... A>
    void one(const char *name, R (*function)(A...), std::tuple<A...> arguments)
    {
        if constexpr (std::is_pointer_v<std::tuple_element_t<I, std::tuple<A...>>>) {
            const std::string where = name + (" with argument " + std::to_string(I)) + " NULL";
            std::get<I>(arguments) = nullptr;
            if constexpr (std::is_void_v<R>) {
                std::apply(function, arguments); // a signal would end the test
            } else if constexpr (std::is_same_v<R, int>) {
                const int rc = std::apply(function, arguments);
                EXPECT_EQ(SMRF_ERR_INVAL, rc) << where;
                expect_text(where, I == 0 || !has_platform<A...> ? nullptr : p);
            } else if constexpr (std::is_pointer_v<R>) {
                const R text = std::apply(function, arguments);
                EXPECT_EQ(nullptr, text) << where;
            } else {
                EXPECT_EQ(R{}, std::apply(function, arguments)) << where;
            }
        }
    }

    static void expect_text(const std::string &where, const smrf_platform *from)
    {
        EXPECT_NE(std::string::npos, std::string(smrf_platform_error(from)).find("NULL")) << where;
    }
};

// The functions that the header declares.
std::set<std::string> declared()
{
    std::ifstream file(std::string(std::getenv("SMRF_SOURCE_DIR")) + "/platform/platform.h");
    std::stringstream text;
    text << file.rdbuf();
    const std::string header = text.str();
    const std::regex function("\n[a-z][a-z_ ]*[ *](smrf_[a-z_]+)\\(");
    std::set<std::string> names;
    for (std::sregex_iterator at(header.begin(), header.end(), function), end; at != end; ++at) {
        names.insert((*at)[1]);
    }
    return names;
}

#define WALK(walk, function, ...) walk(#function, function, __VA_ARGS__)

void configuration(null_walk &walk, smrf_platform *p)
{
    smrf_platform *other = nullptr;
    smrf_outside_memory memory = {};
    static char text[64];
    static const char *key;
    WALK(walk, smrf_platform_create, {&other});
    smrf_platform_destroy(other);
    WALK(walk, smrf_platform_preset, {p, "rtx2060-paper"});
    WALK(walk, smrf_platform_mechanism, {p, "baseline"});
    WALK(walk, smrf_platform_mechanism_table, {p, "x"});
    WALK(walk, smrf_platform_engine, {p, "direct"});
    WALK(walk, smrf_platform_threads, {p, 1u});
    WALK(walk, smrf_platform_gpgpusim, {p, "x"});
    WALK(walk, smrf_platform_config_file, {p, "x"});
    WALK(walk, smrf_platform_set, {p, "gpu.sms=1"});
    WALK(walk, smrf_platform_reuse_file, {p, "x"});
    WALK(walk, smrf_platform_energy_file, {p, "x"});
    WALK(walk, smrf_platform_profile, {p});
    WALK(walk, smrf_platform_strict, {p, true});
    WALK(walk, smrf_platform_allow_outside, {p, true});
    WALK(walk, smrf_platform_config_at, {p, 0, &key, text, sizeof text});
    WALK(walk, smrf_platform_check, {p});
    WALK(walk, smrf_platform_add_trace, {p, "x"});
    WALK(walk, smrf_platform_bind_memory, {p, &memory});
    WALK(walk, smrf_platform_on_note, {p, nullptr, nullptr});
    WALK(walk, smrf_platform_build, {p});
    WALK(walk, smrf_platform_limit_insts, {p, uint64_t(1) << 40});
    WALK(walk, smrf_platform_on_progress, {p, 1.0, nullptr, nullptr});
}

void results(null_walk &walk, smrf_platform *p)
{
    static char text[64];
    static double value;
    static uint64_t whole;
    static uint32_t lanes[32];
    static smrf_stat_info info;
    WALK(walk, smrf_platform_continue, {p, "x"});
    WALK(walk, smrf_platform_run, {p, 1});
    WALK(walk, smrf_stat_at, {0, &info});
    WALK(walk, smrf_platform_stat_at, {p, 0, &info});
    WALK(walk, smrf_platform_stat, {p, "ipc", &value});
    WALK(walk, smrf_platform_count, {p, "cycles", &whole});
    WALK(walk, smrf_platform_energy, {p, "aw", "total", &value});
    WALK(walk, smrf_platform_energy_set, {p, 0});
    WALK(walk, smrf_platform_launches, {p});
    WALK(walk, smrf_platform_launch_name, {p, 0});
    WALK(walk, smrf_platform_launch_stat, {p, 0, "ipc", &value});
    WALK(walk, smrf_platform_seconds, {p});
    WALK(walk, smrf_platform_read_register, {p, 0u, 0u, 4u, lanes});
    WALK(walk, smrf_platform_finding, {p, 0, text, sizeof text});
    WALK(walk, smrf_platform_write_json, {p, "x"});
    WALK(walk, smrf_platform_write_csv, {p, "x"});
    WALK(walk, smrf_platform_write_profile, {p, "x"});
    WALK(walk, smrf_platform_write_accelsim, {p, "x"});
    WALK(walk, smrf_platform_write_series, {p, "x"});
}

TEST(ApiNull, EachPointerOfEachFunction)
{
    temporary_folder folder;
    smrf_platform *p = nullptr;
    ASSERT_EQ(SMRF_OK, smrf_platform_create(&p));
    ASSERT_EQ(SMRF_OK, smrf_platform_engine(p, "direct"));
    const std::string trace = write_trace(folder, "trace", small_launch(), 1);
    ASSERT_EQ(SMRF_OK, smrf_platform_add_trace(p, trace.c_str())) << smrf_platform_error(p);
    null_walk walk(p);
    configuration(walk, p);
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_platform_series(nullptr, 100, "gpu", "ipc"));
    EXPECT_EQ(SMRF_OK, smrf_platform_series(p, 100, nullptr, "ipc"));
    EXPECT_EQ(SMRF_OK, smrf_platform_series(p, 100, "gpu", nullptr));
    ASSERT_EQ(SMRF_RUN_MORE, smrf_platform_run(p, 50)) << smrf_platform_error(p);
    results(walk, p);
    EXPECT_EQ(SMRF_RUN_DONE, smrf_platform_run(p, SMRF_NO_LIMIT)) << "nothing was harmed";

    EXPECT_STRNE("", smrf_platform_error(nullptr));
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_platform_reset(nullptr));
    smrf_platform_abandon(nullptr);
    smrf_platform_stop(nullptr);
    smrf_platform_destroy(nullptr);
    smrf_platform_destroy(p);
    walk.walked.insert({"smrf_platform_series", "smrf_platform_error", "smrf_platform_reset",
                        "smrf_platform_abandon", "smrf_platform_stop", "smrf_platform_destroy",
                        "smrf_platform_version"}); // above; the last has no argument
    EXPECT_EQ(declared(), walk.walked);
}

} // namespace
