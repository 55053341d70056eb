// SPDX-License-Identifier: Apache-2.0
// SMs that have had no thread block yet, one of which stands for the others (struct
// smrf_gpu_reserve): whatever launches follow each other, every SM counts what it would if all had
// been there at once.
#include "models/common/smrf_rng.h"
#include "platform/counters/counters.h"
#include "tests/support/engine_outcome.h"
#include "tests/support/platform_files.h"

#include <algorithm>
#include <memory>
#include <set>

using engine_outcome::preset;
using engine_outcome::words;
using smrf_test::launch_shape;
using smrf_test::temporary_folder;
using smrf_test::write_trace;

namespace
{

// An engine, and what each SM has counted at the end of each launch.
struct machine {
    const smrf_engine_ops &ops;
    const smrf_config cfg;
    smrf_engine *engine = nullptr;
    std::vector<uint64_t> rows;

    machine(const smrf_engine_ops &o, const smrf_config &c, const char *mechanism, bool all)
        : ops(o), cfg(c)
    {
        smrf_gpu_hooks hooks{};
        char text[256] = "";
        hooks.ctx = this;
        hooks.kernel_end = &machine::end;
        hooks.all_sms = all;
        EXPECT_EQ(SMRF_OK, ops.create(&engine, &cfg, smrf_mechanism_find(mechanism), &hooks, text,
                                      sizeof text))
            << mechanism << ": " << text;
    }
    machine(const machine &) = delete;
    ~machine()
    {
        ops.destroy(engine);
    }

    static void end(void *ctx, const smrf_gpu_kernel *kernel)
    {
        auto *self = static_cast<machine *>(ctx);
        const smrf_machine *m = self->ops.machine(self->engine);
        self->rows.push_back(kernel->start);
        self->rows.push_back(kernel->end);
        for (uint32_t i = 0; i < self->cfg.gpu.sms; i++) {
            smrf_counters c{};
            smrf_counters_add_sm(&c, m, i);
            const auto *row = reinterpret_cast<const uint64_t *>(&c);
            self->rows.insert(self->rows.end(), row, row + words);
        }
    }
    void play(const std::vector<std::string> &traces, uint64_t slice)
    {
        rows.clear();
        for (const std::string &path : traces) {
            smrf_trace *trace = nullptr;
            ASSERT_EQ(0, smrf_trace_open(&trace, path.c_str(), nullptr));
            ASSERT_EQ(0, ops.load(engine, trace));
            int end = SMRF_RUN_LIMIT;
            uint64_t until = ops.machine(engine)->cycle;
            while (end == SMRF_RUN_LIMIT) {
                until += slice;
                end = ops.run(engine, until);
            }
            EXPECT_EQ(SMRF_RUN_FINISHED, end) << ops.error(engine);
            smrf_trace_close(trace);
        }
    }
    size_t built() const
    {
        const smrf_machine *m = ops.machine(engine);
        return std::set<const smrf_sm *>(m->sm, m->sm + cfg.gpu.sms).size();
    }
};

struct plan {
    smrf_config cfg;
    const char *mechanism;
    std::vector<std::string> traces;
    uint32_t blocks = 0; // of all launches
    uint64_t slice;
};

smrf_config of_nine(const char *base, const char *mechanism)
{
    const smrf_mechanism *m = smrf_mechanism_find(mechanism);
    std::vector<const char *> pairs;
    for (size_t i = 0; m->defaults && m->defaults[i]; i++) {
        pairs.push_back(m->defaults[i]);
    }
    pairs.push_back("gpu.sms=9");
    return preset(base, pairs);
}

plan random_plan(smrf_rng *rng, const temporary_folder &folder, const std::string &name)
{
    static const char *const presets[] = {"rtx2060-paper", "larf-paper", "qv100-accelsim"};
    static const char *const mechanisms[] = {"baseline", "bow-long", "rfc", "ltrf", "rfc-software"};
    plan p;
    p.mechanism = mechanisms[smrf_rng_below(rng, 5)];
    const char *base = presets[smrf_rng_below(rng, 3)];
    p.cfg = of_nine(base, p.mechanism);
    const smrf_mechanism *m = smrf_mechanism_find(p.mechanism);
    const smrf_mechanism_setup setup = smrf_mechanism_setup_of(&p.cfg, m);
    if (m->check && m->check(&setup)) { // it does not run there
        p.mechanism = "baseline";
        p.cfg = of_nine(base, p.mechanism);
    }
    p.cfg.sim.quantum = 1 + smrf_rng_below(rng, smrf_rng_below(rng, 2) ? 200 : 2000);
    p.cfg.sim.check = smrf_rng_below(rng, 2);
    p.cfg.gpu.blocks_per_cycle = 1 + smrf_rng_below(rng, 3);
    p.cfg.l1d.flush = smrf_rng_below(rng, 2);
    p.slice = 50 + smrf_rng_below(rng, 2000);
    for (uint32_t i = 0, n = 1 + smrf_rng_below(rng, 5); i < n; i++) {
        launch_shape shape;
        shape.blocks = 1 + smrf_rng_below(rng, smrf_rng_below(rng, 4) == 0 ? 24 : 5);
        shape.warps = 1 + smrf_rng_below(rng, 4);
        shape.body = smrf_test::small_body();
        shape.repeat = 1 + smrf_rng_below(rng, 4);
        const uint32_t launches = 1 + smrf_rng_below(rng, 2);
        p.blocks += launches * shape.blocks;
        p.traces.push_back(write_trace(folder, name + "_" + std::to_string(i), shape, launches));
    }
    return p;
}

class reserve_sms : public testing::TestWithParam<const smrf_engine_ops *>
{
};

} // namespace

TEST_P(reserve_sms, StandsForWhatTheyWouldHaveCounted)
{
    // Modules cannot come after elaboration.
    const size_t first = GetParam() == &smrf_engine_systemc ? 9 : 1;
    temporary_folder folder;
    smrf_rng rng;
    smrf_rng_seed(&rng, 71, 0);
    std::vector<plan> plans;
    std::vector<std::unique_ptr<machine>> all, late; // before the first run
    for (int round = 0; round < 25; round++) {
        plans.push_back(random_plan(&rng, folder, "t" + std::to_string(round)));
        const plan &p = plans.back();
        all.push_back(std::make_unique<machine>(*GetParam(), p.cfg, p.mechanism, true));
        late.push_back(std::make_unique<machine>(*GetParam(), p.cfg, p.mechanism, false));
    }
    for (size_t i = 0; i < plans.size(); i++) {
        SCOPED_TRACE(std::to_string(i) + ", " + plans[i].mechanism);
        EXPECT_EQ(9u, all[i]->built());
        EXPECT_EQ(first, late[i]->built());
        all[i]->play(plans[i].traces, plans[i].slice);
        late[i]->play(plans[i].traces, plans[i].slice);
        EXPECT_EQ(all[i]->rows, late[i]->rows);
        EXPECT_LE(late[i]->built(), std::max<size_t>(first, plans[i].blocks + 1));
        ASSERT_EQ(SMRF_OK, late[i]->ops.reset(late[i]->engine));
        late[i]->play(plans[i].traces, plans[i].slice);
        ASSERT_EQ(SMRF_OK, all[i]->ops.reset(all[i]->engine));
        all[i]->play(plans[i].traces, plans[i].slice);
        EXPECT_EQ(all[i]->rows, late[i]->rows) << "after a reset";
    }
}

TEST_P(reserve_sms, IsNotThereWhereAMechanismTellsThemApart)
{
    for (const char *mechanism : {"malekeh-long", "larf"}) {
        machine m(*GetParam(), of_nine("rtx2060-paper", mechanism), mechanism, false);
        EXPECT_EQ(9u, m.built()) << mechanism;
    }
}

INSTANTIATE_TEST_SUITE_P(Reserve, reserve_sms,
                         testing::Values(&smrf_engine_direct, &smrf_engine_systemc),
                         [](const auto &of) { return std::string(of.param->name); });
