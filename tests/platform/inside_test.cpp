// SPDX-License-Identifier: Apache-2.0
// The inside of SMs over SystemC: blocks that are modules, where somebody can see them, and cores
// behind the outer socket where nobody can. A run gives the same document either way.
#include "platform/config/registry.h"
#include "platform/platform_tlm.h"
#include "tests/support/engine_outcome.h"
#include "tests/support/platform_files.h"

#include <memory>
#include <set>

using smrf_test::document;
using smrf_test::read_file;
using smrf_test::temporary_folder;

namespace
{

constexpr size_t objects_of_sm =
    16; // .. that has no modules inside, its place in the memory included

enum class wish { none, modules, no_modules, payloads, monitor };

struct built {
    smrf_platform *p = nullptr;
    built(const char *mechanism, wish w, const std::vector<const char *> &pairs = {},
          const char *trace = nullptr)
    {
        EXPECT_EQ(SMRF_OK, smrf_platform_create(&p));
        EXPECT_EQ(SMRF_OK, smrf_platform_mechanism(p, mechanism));
        for (const char *pair : pairs) {
            EXPECT_EQ(SMRF_OK, smrf_platform_set(p, pair)) << smrf_platform_error(p);
        }
        if (w == wish::modules || w == wish::no_modules) {
            EXPECT_EQ(SMRF_OK, smrf_platform_modules(p, w == wish::modules));
        }
        if (w == wish::payloads || w == wish::monitor) {
            smrf_platform_set(p, w == wish::payloads ? "sim.payloads=on" : "sim.monitor=on");
        }
        if (trace != nullptr) {
            EXPECT_EQ(SMRF_OK, smrf_platform_add_trace(p, trace)) << smrf_platform_error(p);
        }
    }
    built(const built &) = delete;
    ~built()
    {
        smrf_platform_destroy(p);
    }
    void build()
    {
        EXPECT_EQ(SMRF_OK, smrf_platform_build(p)) << smrf_platform_error(p);
    }
};

void add_below(const sc_core::sc_object *o, std::set<std::string> &names)
{
    names.insert(o->name());
    for (const sc_core::sc_object *child : o->get_child_objects()) {
        add_below(child, names);
    }
}

// Of the platform that was built last.
std::set<std::string> all_objects(std::string *gpu = nullptr)
{
    std::set<std::string> names;
    const auto &tops = sc_core::sc_get_top_level_objects();
    for (auto at = tops.rbegin(); at != tops.rend() && names.empty(); ++at) {
        if (dynamic_cast<const sc_core::sc_module *>(*at) != nullptr) {
            add_below(*at, names);
            if (gpu != nullptr) {
                *gpu = (*at)->name();
            }
        }
    }
    return names;
}

// The blocks of an SM and their sockets, as sm_blocks.h has the picture.
std::vector<std::string> expected_inside(const smrf_config &cfg, bool cached, bool mapped)
{
    std::vector<std::string> names = {"units", "units.merged_out_0", "ldst",
                                      "merge", "merge.merged_in_0",  "simt_stack"};
    auto add = [&](const std::string &block, const std::vector<std::string> &ports,
                   unsigned count) {
        for (const std::string &port : ports) {
            for (unsigned i = 0; i < count; i++) {
                names.push_back(block + "." + port + "_" + std::to_string(i));
            }
        }
    };
    for (unsigned sub = 0; sub < cfg.sm.subcores; sub++) {
        const std::string s = "_" + std::to_string(sub);
        const unsigned units = smrf_collector_slots(&cfg.rf), banks = cfg.rf.banks;
        for (const char *block : {"issue", "collectors", "xbar", "arbiter"}) {
            names.push_back(block + s);
        }
        add("issue" + s, {"instr_out", "simt_out"}, 1);
        add("collectors" + s, {"instr_in"}, 2);
        add("collectors" + s, {"grant_in", "dispatch_out"}, 1);
        add("collectors" + s, {"request_out", "read_out"}, units);
        add("xbar" + s, {"read_in"}, units);
        add("xbar" + s, {"bank_out"}, banks);
        add("arbiter" + s, {"request_in"}, units);
        add("arbiter" + s, {"grant_out"}, 1);
        add("units", {"write_out" + s}, banks);
        names.push_back("units.dispatch_in" + s);
        names.push_back("merge.merge_out" + s);
        names.push_back("simt_stack.line_in" + s);
        for (unsigned b = 0; b < banks; b++) {
            const std::string bank = "bank" + s + "_" + std::to_string(b);
            names.push_back(bank);
            add(bank, {"read_in", "write_in"}, 1);
        }
        if (cached) {
            names.push_back("operand_cache" + s);
            add("operand_cache" + s, {"port_h", "port_s"}, units);
            add("operand_cache" + s, {"port_d", "port_r"}, 1);
            add("collectors" + s, {"hit_out", "source_out"}, units);
            add("issue" + s, {"status_out"}, 1);
            names.push_back("units.result_out" + s);
        }
        if (mapped) {
            names.push_back("merge.part_in" + s);
            add("collectors" + s, {"part_out"}, 1);
        }
    }
    if (mapped) {
        names.insert(names.end(), {"mapping", "mapping.map_in_0", "ldst.map_out_0"});
    }
    return names;
}

class inside_sms : public testing::TestWithParam<unsigned>
{
};

} // namespace

TEST_P(inside_sms, ModulesInsideChangeNothingButTheSection)
{
    const char *const name = smrf_mechanism_at(GetParam())->name;
    const std::string source = engine_outcome::source_folder() + "/traces/bundled/";
    temporary_folder folder;
    std::vector<std::unique_ptr<built>> all; // before the first run
    for (const char *trace : {"hotspot", "ray"}) {
        for (const wish w : {wish::none, wish::modules}) {
            all.push_back(std::make_unique<built>(name, w, std::vector<const char *>{"gpu.sms=2"},
                                                  (source + trace).c_str()));
            all.back()->build();
        }
    }
    for (size_t i = 0; i < all.size(); i += 2) {
        std::string text[2];
        for (size_t inside = 0; inside < 2; inside++) {
            smrf_platform *p = all[i + inside]->p;
            const std::string to = folder / ("r" + std::to_string(inside));
            ASSERT_EQ(SMRF_RUN_DONE, smrf_platform_run(p, SMRF_NO_LIMIT)) << smrf_platform_error(p);
            ASSERT_EQ(SMRF_OK, smrf_platform_write_json(p, to.c_str()));
            text[inside] = read_file(to);
            EXPECT_NE(std::string::npos,
                      text[inside].find(inside ? "\"modules\": true" : "\"modules\": false"));
            text[inside] = document(text[inside]).without_sim();
        }
        EXPECT_EQ(text[0], text[1]) << name;
    }
}

INSTANTIATE_TEST_SUITE_P(Inside, inside_sms, testing::Range(0u, [] {
                             unsigned n = 0;
                             while (smrf_mechanism_at(n) != nullptr) {
                                 n++;
                             }
                             return n;
                         }()));

TEST(Inside, IsCompleteWhereItIsAskedFor)
{
    for (const char *mechanism : {"baseline", "malekeh-long", "larf"}) {
        for (const wish w : {wish::modules, wish::payloads, wish::monitor}) {
            built b(mechanism, w, {"gpu.sms=2"});
            b.build();
            const smrf_config cfg = engine_outcome::preset(SMRF_DEFAULT_PRESET, {"gpu.sms=2"});
            std::string gpu;
            const std::set<std::string> there = all_objects(&gpu);
            const std::string kind = mechanism;
            for (const char *sm : {".sm_0.", ".sm_1."}) {
                for (const std::string &name :
                     expected_inside(cfg, kind == "malekeh-long", kind == "larf")) {
                    EXPECT_EQ(1u, there.count(gpu + sm + name)) << gpu << sm << name;
                }
            }
        }
    }
}

TEST(Inside, IsNotBuiltWhereNobodyLooks)
{
    constexpr unsigned sms = 30;
    for (const char *mechanism : {"baseline", "malekeh-long", "larf"}) {
        built b(mechanism, wish::none, {"gpu.sms=30"});
        b.build();
        EXPECT_LE(all_objects().size(), sms * objects_of_sm + 8) << mechanism;
        EXPECT_GT(all_objects().size(), sms);
    }
}

TEST(Inside, IsThereBesideAMemoryOfOthersUnlessItIsDeclined)
{
    for (const wish w : {wish::none, wish::no_modules}) {
        built b("baseline", w, {"gpu.sms=1"});
        ASSERT_EQ(SMRF_OK, smrf::bind_memory(b.p, [](unsigned, tlm::tlm_initiator_socket<> &) {}));
        b.build();
        std::string gpu;
        const std::set<std::string> there = all_objects(&gpu);
        EXPECT_EQ(w == wish::none ? 1u : 0u, there.count(gpu + ".sm_0.units")) << gpu;
        EXPECT_EQ(1u, there.count(gpu + ".sm_0.memory.socket")) << gpu;
    }
}

TEST(Inside, IsForBeforeThePlatformIsBuilt)
{
    built b("baseline", wish::none, {"gpu.sms=1"});
    b.build();
    EXPECT_EQ(SMRF_ERR_STATE, smrf_platform_modules(b.p, true));
}
