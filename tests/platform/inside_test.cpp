// SPDX-License-Identifier: Apache-2.0
// The inside of SMs over SystemC: every block is a module, every connection a pair of sockets.
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

struct built {
    smrf_platform *p = nullptr;
    built(const char *mechanism, const std::vector<const char *> &pairs)
    {
        EXPECT_EQ(SMRF_OK, smrf_platform_create(&p));
        EXPECT_EQ(SMRF_OK, smrf_platform_mechanism(p, mechanism));
        for (const char *pair : pairs) {
            EXPECT_EQ(SMRF_OK, smrf_platform_set(p, pair)) << smrf_platform_error(p);
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
    std::vector<std::string> names = {"units",
                                      "units.merged_out_0",
                                      "units.access_out_0",
                                      "units.load_in_0",
                                      "ldst",
                                      "ldst.access_in_0",
                                      "ldst.load_out_0",
                                      "ldst.later_out_0",
                                      "units.later_in_0",
                                      "merge",
                                      "merge.merged_in_0",
                                      "simt_stack"};
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
        add("issue" + s, {"instr_out", "simt_out", "result_in", "answer_in", "collected_in"}, 1);
        add("collectors" + s, {"instr_in"}, 2);
        add("collectors" + s, {"grant_in", "dispatch_out", "collected_out", "drained_in"}, 1);
        add("collectors" + s, {"request_out", "read_out"}, units);
        add("xbar" + s, {"read_in"}, units);
        add("xbar" + s, {"bank_out"}, banks);
        add("arbiter" + s, {"request_in"}, units);
        add("arbiter" + s, {"grant_out", "write_in"}, 1);
        add("units", {"write_out" + s}, banks);
        for (const char *port : {"dispatch_in", "drained_out", "port_out", "settled_out"}) {
            names.push_back(std::string("units.") + port + s);
        }
        names.push_back("ldst.answer_out" + s);
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

} // namespace

TEST(Inside, EveryBlockIsAModuleWhoeverLooks)
{
    for (const char *mechanism : {"baseline", "malekeh-long", "larf"}) {
        for (const char *monitor : {"sim.monitor=off", "sim.monitor=on"}) {
            built b(mechanism, {"gpu.sms=2", monitor});
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

TEST(Inside, IsThereBesideAMemoryOfOthers)
{
    built b("baseline", {"gpu.sms=1"});
    ASSERT_EQ(SMRF_OK, smrf::bind_memory(b.p, [](unsigned, tlm::tlm_initiator_socket<> &) {}));
    b.build();
    std::string gpu;
    const std::set<std::string> there = all_objects(&gpu);
    EXPECT_EQ(1u, there.count(gpu + ".sm_0.units")) << gpu;
    EXPECT_EQ(1u, there.count(gpu + ".sm_0.memory.socket")) << gpu;
}
