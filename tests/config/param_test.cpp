// SPDX-License-Identifier: Apache-2.0
// The table of parameters, values from and to text, suggestions, and the tables for the user.
#include "platform/config/config.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace
{

smrf_config defaults()
{
    smrf_config cfg;
    smrf_config_default(&cfg);
    return cfg;
}

// What setting key to value says: "ok" or the error's text.
std::string set(const char *key, const char *value, smrf_config *cfg = nullptr)
{
    smrf_config local = defaults();
    smrf_config_error err = {};
    int rc = smrf_config_set(cfg ? cfg : &local, key, value, "--set", &err);
    return rc == SMRF_OK ? "ok" : err.text;
}

std::string text_of(const smrf_config &cfg, size_t index)
{
    char buf[256];
    size_t n = smrf_config_text(&cfg, index, buf, sizeof buf);
    EXPECT_EQ(n, std::strlen(buf));
    return buf;
}

std::string printed(void (*print)(FILE *out))
{
    char *text = nullptr;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    print(out);
    std::fclose(out);
    std::string result(text, size);
    std::free(text);
    return result;
}

TEST(Param, EveryParameterIsComplete)
{
    std::set<std::string> keys;
    std::string section;
    std::set<std::string> sections;
    for (size_t i = 0; i < smrf_param_count(); i++) {
        const smrf_param *p = smrf_param_at(i);
        ASSERT_NE(p, nullptr);
        EXPECT_TRUE(keys.insert(p->key).second) << p->key << " is listed twice";
        EXPECT_EQ(p->key, std::string(p->section) + "." + p->name);
        EXPECT_LE(p->min, p->def) << p->key;
        EXPECT_LE(p->def, p->max) << p->key;
        EXPECT_GT(std::strlen(p->meaning), 3u) << p->key;
        EXPECT_EQ(smrf_param_find(p->key), static_cast<int>(i));
        if (section != p->section) {
            section = p->section;
            EXPECT_TRUE(sections.insert(section).second) << section << " is in two places";
        }
        if (smrf_param_type(p) == SMRF_PARAM_ENUM) {
            for (uint32_t v = p->min; v <= p->max; v++) {
                EXPECT_NE(smrf_param_enum_name(p, v), nullptr) << p->key << v;
            }
            EXPECT_EQ(smrf_param_enum_name(p, p->max + 1), nullptr) << p->key;
        }
    }
    EXPECT_EQ(smrf_param_at(smrf_param_count()), nullptr);
    EXPECT_EQ(smrf_param_find("rf"), SMRF_ERR_UNKNOWN);
}

TEST(Param, DefaultsAreTheListsAndLegal)
{
    smrf_config cfg = defaults();
    for (size_t i = 0; i < smrf_param_count(); i++) {
        EXPECT_EQ(smrf_config_get(&cfg, i), smrf_param_at(i)->def);
    }
    EXPECT_EQ(cfg.rf.banks, 2u);
    EXPECT_EQ(cfg.sim.quantum, smrf_config_get(&cfg, SMRF_P_sim_quantum));
    smrf_config_error err;
    EXPECT_EQ(smrf_config_check(&cfg, &err), SMRF_OK) << err.text;
}

TEST(Param, EveryValueReadsBackFromItsText)
{
    std::mt19937 random(1);
    for (size_t i = 0; i < smrf_param_count(); i++) {
        const smrf_param *p = smrf_param_at(i);
        std::vector<uint32_t> values = {p->min, p->def, p->max};
        for (int n = 0; n < 20; n++) {
            values.push_back(std::uniform_int_distribution<uint32_t>(p->min, p->max)(random));
        }
        for (uint32_t value : values) {
            smrf_config source = defaults(), copy = defaults();
            std::memcpy(reinterpret_cast<char *>(&source) + 4 * i, &value, 4);
            std::string text = text_of(source, i);
            EXPECT_EQ(set(p->key, text.c_str(), &copy), "ok");
            EXPECT_EQ(std::memcmp(&source, &copy, sizeof copy), 0) << p->key << "=" << text;
        }
    }
}

TEST(Param, TextIsCutToTheBufferAndItsLengthReported)
{
    smrf_config cfg = defaults();
    char buf[4];
    EXPECT_EQ(smrf_config_text(&cfg, SMRF_P_gpu_core_khz, buf, sizeof buf), 7u);
    EXPECT_STREQ(buf, "136");
}

TEST(Param, NumbersAreDecimalOrHexadecimalWithSuffixesForBytesOnly)
{
    smrf_config cfg = defaults();
    EXPECT_EQ(set("rf.banks", "0x10", &cfg), "ok");
    EXPECT_EQ(cfg.rf.banks, 16u);
    EXPECT_EQ(set("sm.shared_bytes", "96K", &cfg), "ok");
    EXPECT_EQ(cfg.sm.shared_bytes, 98304u);
    EXPECT_EQ(set("l1d.unified_bytes", "1M", &cfg), "ok");
    EXPECT_EQ(cfg.l1d.unified_bytes, 1048576u);
    EXPECT_EQ(set("sim.seed", "4294967295", &cfg), "ok");
    EXPECT_EQ(cfg.sim.seed, 0xffffffffu);
    EXPECT_EQ(set("rf.banks", "1K"), "--set: rf.banks: '1K' is not a number (decimal or 0x), "
                                     "expected 1 to 16 banks/sub-core");
    EXPECT_EQ(set("sm.shared_bytes", "1G"),
              "--set: sm.shared_bytes: '1G' is not a number (decimal or 0x, with K or M for powers "
              "of 1024), expected 0 to 262144 bytes");
    EXPECT_EQ(set("sm.shared_bytes", "4294967295M"), "--set: sm.shared_bytes: 4294967295M is out "
                                                     "of range, expected 0 to 262144 bytes");
    for (const char *bad :
         {"", "x", "-1", "1.5", "0x", "1 ", " 1", "4294967296", "99999999999999"}) {
        EXPECT_NE(set("sim.seed", bad), "ok") << bad;
    }
}

TEST(Param, RangesAreInclusive)
{
    EXPECT_EQ(set("rf.banks", "1"), "ok");
    EXPECT_EQ(set("rf.banks", "16"), "ok");
    EXPECT_EQ(set("rf.banks", "0"),
              "--set: rf.banks: 0 is out of range, expected 1 to 16 banks/sub-core");
    EXPECT_EQ(set("rf.banks", "17"),
              "--set: rf.banks: 17 is out of range, expected 1 to 16 banks/sub-core");
}

TEST(Param, FlagsTakeSixWords)
{
    smrf_config cfg = defaults();
    for (const char *on : {"on", "true", "1"}) {
        cfg.rf.rz_is_register = 0;
        EXPECT_EQ(set("rf.rz_is_register", on, &cfg), "ok");
        EXPECT_EQ(cfg.rf.rz_is_register, 1u);
    }
    for (const char *off : {"off", "false", "0"}) {
        cfg.rf.rz_is_register = 1;
        EXPECT_EQ(set("rf.rz_is_register", off, &cfg), "ok");
        EXPECT_EQ(cfg.rf.rz_is_register, 0u);
    }
    EXPECT_EQ(set("rf.rz_is_register", "2"), "--set: rf.rz_is_register: '2' is neither on nor off "
                                             "(on, off, true, false, 1, 0)");
}

TEST(Param, EnumerationsTakeNamesAndSuggestTheNearest)
{
    smrf_config cfg = defaults();
    EXPECT_EQ(set("issue.scheduler", "two_level", &cfg), "ok");
    EXPECT_EQ(cfg.issue.scheduler, uint32_t{SMRF_SCHED_TWO_LEVEL});
    EXPECT_EQ(set("issue.scheduler", "twolevel"),
              "--set: issue.scheduler: 'twolevel' is not one "
              "of gto, lrr, oldest, two_level, swl, cggty; did you mean "
              "two_level?");
    EXPECT_EQ(set("l2.hash", "xor-fold"),
              "--set: l2.hash: 'xor-fold' is not one of linear, ipoly, accelsim");
    EXPECT_NE(set("issue.scheduler", "0"), "ok");
}

TEST(Param, SetsOfSizesAreListsOfMultiplesOfFour)
{
    smrf_config cfg = defaults();
    EXPECT_EQ(set("l1d.carveouts", "[0, 8,124 ]", &cfg), "ok");
    EXPECT_EQ(cfg.l1d.carveouts, 1u | 1u << 2 | 1u << 31);
    EXPECT_EQ(text_of(cfg, SMRF_P_l1d_carveouts), "[0, 8, 124]");
    EXPECT_EQ(set("l1d.carveouts", "16", &cfg), "ok");
    EXPECT_EQ(cfg.l1d.carveouts, 1u << 4);
    EXPECT_EQ(set("l1d.carveouts", "[]", &cfg), "ok");
    EXPECT_EQ(cfg.l1d.carveouts, 0u);
    EXPECT_EQ(set("l1d.carveouts", "[32, 33]"), "--set: l1d.carveouts: 33 KiB in '[32, 33]' is not "
                                                "a multiple of 4 from 0 to 252");
    EXPECT_EQ(set("l1d.carveouts", "256"), "--set: l1d.carveouts: 256 KiB in '256' is not a "
                                           "multiple of 4 from 0 to 252");
    EXPECT_EQ(set("l1d.carveouts", "[100, 128, 228, 252]", &cfg), "ok");
    EXPECT_EQ(cfg.l1d.carveouts, 1u << 25);
    EXPECT_EQ(cfg.l1d.large_carveouts, 1u | 1u << 25 | 1u << 31);
    EXPECT_EQ(text_of(cfg, SMRF_P_l1d_large_carveouts), "[128, 228, 252]");
    EXPECT_EQ(smrf_l1d_carveouts(&cfg.l1d), 1ull << 25 | 1ull << 32 | 1ull << 57 | 1ull << 63);
    EXPECT_EQ(set("l1d.large_carveouts", "[164]", &cfg), "ok");
    EXPECT_EQ(text_of(cfg, SMRF_P_l1d_carveouts) + text_of(cfg, SMRF_P_l1d_large_carveouts),
              "[100][164]");
    EXPECT_EQ(set("l1d.large_carveouts", "[100]"),
              "--set: l1d.large_carveouts: 100 KiB in '[100]' is not a multiple of 4 from 128 to "
              "252");
    EXPECT_EQ(set("l1d.carveouts", "[8]", &cfg), "ok");
    EXPECT_EQ(cfg.l1d.large_carveouts, 0u) << "one list";
    for (const char *bad : {"", "[", "[32", "32]", "[32,]", "32,", "[32 64]", "[,]", "a"}) {
        EXPECT_EQ(set("l1d.carveouts", bad), std::string("--set: l1d.carveouts: '") + bad +
                                                 "' is not a list of sizes in KiB, such as "
                                                 "[32, 64]");
    }
}

TEST(Param, UnknownKeysSuggestTheNearest)
{
    EXPECT_EQ(set("rf.bank", "2"), "--set: unknown key 'rf.bank'; did you mean rf.banks?");
    EXPECT_EQ(set("issue.schedluer", "2"),
              "--set: unknown key 'issue.schedluer'; did you mean issue.scheduler?");
    EXPECT_EQ(set("collector_ports", "2"),
              "--set: unknown key 'collector_ports'; did you mean rf.collector_ports?");
    EXPECT_EQ(set("", "2"), "--set: unknown key ''; smrf list options --all shows all");
    EXPECT_EQ(set("completely.different", "2"),
              "--set: unknown key 'completely.different'; smrf list options --all shows all");
    EXPECT_EQ(smrf_param_nearest(std::string(10000, 'a').c_str()), nullptr);
}

// Two neighbouring letters swapped: the key itself is suggested, or another one that is a single
// replaced letter away (dram.crd may be dram.rcd or dram.ccd).
TEST(Param, OneSlipInAnyKeyIsFound)
{
    for (size_t i = 0; i < smrf_param_count(); i++) {
        const std::string key = smrf_param_at(i)->key;
        for (size_t at = 0; at + 1 < key.size(); at++) {
            std::string slip = key;
            std::swap(slip[at], slip[at + 1]);
            if (smrf_param_find(slip.c_str()) >= 0) {
                continue;
            }
            const char *near = smrf_param_nearest(slip.c_str());
            ASSERT_NE(near, nullptr) << slip;
            std::string found = near;
            ASSERT_EQ(found.size(), slip.size()) << slip << " " << found;
            int replaced = 0;
            for (size_t c = 0; c < slip.size(); c++) {
                replaced += found[c] != slip[c];
            }
            EXPECT_TRUE(found == key || replaced == 1) << slip << " " << found;
        }
    }
}

TEST(Param, PairsApplyInOrderOrNotAtAll)
{
    smrf_config cfg = defaults();
    smrf_config_error err;
    const char *const good[] = {"rf.banks=4", "rf.banks=8", "issue.scheduler=lrr"};
    ASSERT_EQ(smrf_config_set_pairs(&cfg, good, 3, "mechanism larf", &err), SMRF_OK);
    EXPECT_EQ(cfg.rf.banks, 8u);
    EXPECT_EQ(cfg.issue.scheduler, uint32_t{SMRF_SCHED_LRR});
    const char *const bad[] = {"rf.banks=1", "rf.collectors=x"};
    EXPECT_EQ(smrf_config_set_pairs(&cfg, bad, 2, "mechanism larf", &err), SMRF_ERR_INVAL);
    EXPECT_STREQ(err.text, "mechanism larf: rf.collectors: 'x' is not a number (decimal or 0x), "
                           "expected 1 to 16 collector units/sub-core");
    EXPECT_EQ(cfg.rf.banks, 8u) << "a failed call must change nothing";
    const char *const shapeless[] = {"rf.banks"}, *const keyless[] = {"=3"};
    EXPECT_EQ(smrf_config_set_pairs(&cfg, shapeless, 1, "--set", &err), SMRF_ERR_INVAL);
    EXPECT_STREQ(err.text, "--set: 'rf.banks' is not of the form key=value");
    EXPECT_EQ(smrf_config_set_pairs(&cfg, keyless, 1, "--set", &err), SMRF_ERR_INVAL);
    std::string huge(500, 'k');
    huge += "=1";
    const char *const long_key[] = {huge.c_str()};
    EXPECT_EQ(smrf_config_set_pairs(&cfg, long_key, 1, "--set", &err), SMRF_ERR_UNKNOWN);
    EXPECT_EQ(smrf_config_set_pairs(&cfg, nullptr, 0, "--set", nullptr), SMRF_OK);
}

TEST(Param, ErrorsMayBeUnwantedAndLongNamesAreCut)
{
    smrf_config cfg = defaults();
    EXPECT_EQ(smrf_config_set(&cfg, "rf.banks", "x", "--set", nullptr), SMRF_ERR_INVAL);
    smrf_config_error err;
    std::string path(5000, 'p');
    EXPECT_EQ(smrf_config_set(&cfg, "rf.banks", "x", path.c_str(), &err), SMRF_ERR_INVAL);
    EXPECT_LT(std::strlen(err.text), sizeof err.text);
    EXPECT_NE(std::strstr(err.text, "rf.banks"), nullptr) << "the reason must survive a long path";
}

TEST(Explain, ShowsUnitRangeDefaultSourceAndPresetsOfEveryKey)
{
    for (size_t i = 0; i < smrf_param_count(); i++) {
        const smrf_param *p = smrf_param_at(i);
        char *text = nullptr;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        EXPECT_EQ(smrf_config_explain(p->key, out, nullptr), SMRF_OK);
        std::fclose(out);
        std::string shown(text, size);
        std::free(text);
        auto line = [&](const char *label, const std::string &value) {
            std::string expected = std::string("\n  ") + label + value + "\n";
            EXPECT_NE(shown.find(expected), std::string::npos) << shown << expected;
        };
        EXPECT_EQ(shown.find(std::string(p->key) + ": " + p->meaning + "\n"), 0u);
        line("unit     ", p->unit[0] ? p->unit : "none");
        line("source   ", p->source[0] ? p->source : "a choice of this model");
        line("default  ", text_of(defaults(), i));
        if (smrf_param_type(p) == SMRF_PARAM_NUM) {
            line("range    ", std::to_string(p->min) + " to " + std::to_string(p->max));
        }
        EXPECT_NE(shown.find("\n  range    "), std::string::npos);
        for (size_t n = 0; n < smrf_preset_count(); n++) {
            EXPECT_NE(shown.find(smrf_preset_name(n)), std::string::npos) << shown;
        }
    }
}

TEST(Explain, ShowsTheChoicesOfAnEnumerationAndTheValueInAPreset)
{
    char *text = nullptr;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    ASSERT_EQ(smrf_config_explain("issue.scheduler", out, nullptr), SMRF_OK);
    std::fclose(out);
    EXPECT_NE(std::strstr(text, "range    gto, lrr, oldest, two_level, swl, cggty\n"), nullptr)
        << text;
    EXPECT_NE(std::strstr(text, "larf-paper       two_level\n"), nullptr) << text;
    EXPECT_NE(std::strstr(text, "rtx2060-accelsim lrr\n"), nullptr) << text;
    std::free(text);
}

TEST(Explain, UnknownKeySuggestsTheNearest)
{
    smrf_config_error err;
    EXPECT_EQ(smrf_config_explain("rf.bnaks", stdout, &err), SMRF_ERR_UNKNOWN);
    EXPECT_STREQ(err.text, "--explain: unknown key 'rf.bnaks'; did you mean rf.banks?");
}

TEST(List, ShowsEveryKeyOnceUnderItsSection)
{
    std::string text = printed([](FILE *out) { smrf_config_list_options(out, nullptr); });
    size_t at = 0;
    for (size_t i = 0; i < smrf_param_count(); i++) {
        const smrf_param *p = smrf_param_at(i);
        size_t found = text.find(std::string("\n  ") + p->key + " ", at);
        ASSERT_NE(found, std::string::npos) << p->key;
        at = found;
    }
    EXPECT_NE(text.find("\n\nrf\n  rf.banks "), std::string::npos);
    EXPECT_NE(text.find("(banks/sub-core)\n"), std::string::npos);
}

TEST(List, ShowsEveryPresetWithItsDescription)
{
    std::string text = printed(smrf_config_list_presets);
    for (size_t i = 0; i < smrf_preset_count(); i++) {
        EXPECT_NE(text.find(smrf_preset_name(i)), std::string::npos);
        EXPECT_NE(text.find(smrf_preset_description(i)), std::string::npos);
    }
}

} // namespace
