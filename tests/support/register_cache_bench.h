// SPDX-License-Identifier: Apache-2.0
// What the tests of the register file caches beside a two-level scheduler have in common: the
// machine, a mechanism of which seams are replaced, runs of whole traces, and faults that each of
// them can have.
#ifndef SMRF_TESTS_REGISTER_CACHE_BENCH_H
#define SMRF_TESTS_REGISTER_CACHE_BENCH_H

#include "mechanism_bench.h"
#include "mechanism_run.h"

#include "models/register_cache/register_cache.h"

#include <cstring>

// A mechanism whose seams may be changed one by one.
struct changed_mechanism {
    explicit changed_mechanism(const smrf_mechanism &from)
        : collector(*from.collector), rename(*from.rename), warp(*from.warp), write(*from.write),
          schedule(*from.schedule), micro(from.micro ? *from.micro : smrf_micro_seam{}), m(from)
    {
        m.collector = &collector;
        m.rename = &rename;
        m.warp = &warp;
        m.write = &write;
        m.schedule = &schedule;
        m.micro = from.micro ? &micro : nullptr;
    }
    changed_mechanism(const changed_mechanism &) = delete;
    smrf_collector_seam collector;
    smrf_rename_seam rename;
    smrf_warp_seam warp;
    smrf_write_seam write;
    smrf_schedule_seam schedule;
    smrf_micro_seam micro;
    smrf_mechanism m;
};

// state: begins with a struct smrf_register_cache; original: the mechanism.
template <typename state, const smrf_mechanism &original>
class register_cache_bench : public mechanism_bench<state>
{
  protected:
    using blocks_t = std::vector<sm_test::block>;

    void run(const smrf_config &cfg, blocks_t blocks, const smrf_mechanism &m = original,
             bool laws = true)
    {
        mechanism_bench<state>::run(cfg, std::move(blocks), 24, m, laws);
    }
    static smrf_config config(unsigned subcores, std::initializer_list<const char *> options = {})
    {
        return mechanism_bench<state>::two_level(subcores, options);
    }
    // What every complete run shows.
    void expect_right()
    {
        const auto &own = this->own();
        const smrf_sm_stats &sm = this->d->stats();
        EXPECT_EQ(0u, sm.oracle_violations);
        EXPECT_GT(sm.oracle_checked, 1000u);
        EXPECT_EQ("", this->broken());
        EXPECT_EQ(own.evicted, sm.evictions);
        EXPECT_EQ(0u, own.resident);
    }
    // Nothing is cached of what nobody knows.
    void expect_banks_alone_without_a_program()
    {
        using namespace sm_test;
        run(config(4),
            {{{alu(SMRF_CLASS_INT, {1}, {}), alu(SMRF_CLASS_INT, {2}, {1}), exit_step()}}});
        EXPECT_EQ(0u, this->own().hits);
        EXPECT_EQ(0u, this->own().kept);
        EXPECT_EQ(3u, this->own().by_nobody);
    }
    static void expect_needs_the_order_of_writes_and_reads()
    {
        const smrf_config cfg = config(1, {"scoreboard.war=off"});
        const smrf_mechanism_setup setup = smrf_mechanism_setup_of(&cfg, &original);
        EXPECT_NE(nullptr, original.check(&setup));
    }
    // known: (its counters) was anything known of the program, or is nothing needed?
    template <typename counters>
    static void expect_right_on_every_trace(bool (*known)(const counters &))
    {
        for (const std::string &trace : replay::all_traces()) {
            for (const char *preset : {"rtx2060-paper", "qv100-accelsim"}) {
                SCOPED_TRACE(trace + " " + preset);
                const auto o = replay::run_mechanism<counters>(
                    original, trace, replay::mechanism_config(original, preset));
                EXPECT_EQ("", o.broken);
                EXPECT_EQ(0u, o.run.stats.oracle_violations);
                EXPECT_EQ(known(o.own), o.own.hits > 0);
            }
        }
    }

    // An issue stage sleeps while its warps only change places on the scheduler's lists, and makes
    // these moves later. A machine that makes each in its cycle counts the same.
    template <typename counters> static void expect_moves_may_come_later()
    {
        changed_mechanism each_in_its_cycle(original);
        each_in_its_cycle.schedule.move_freely = nullptr;
        uint64_t slept = 0;
        for (const std::string &trace : replay::all_traces()) {
            SCOPED_TRACE(trace);
            const smrf_config cfg = replay::mechanism_config(original, "rtx2060-paper");
            auto later = replay::run_mechanism<counters>(original, trace, cfg);
            const auto now = replay::run_mechanism<counters>(each_in_its_cycle.m, trace, cfg);
            EXPECT_GE(now.run.stats.stepped_cycles, later.run.stats.stepped_cycles);
            slept += now.run.stats.stepped_cycles - later.run.stats.stepped_cycles;
            later.run.stats.stepped_cycles = now.run.stats.stepped_cycles;
            EXPECT_EQ(0, std::memcmp(&now.run.stats, &later.run.stats, sizeof now.run.stats));
            EXPECT_EQ(0, std::memcmp(&now.own, &later.own, sizeof now.own));
        }
        EXPECT_GT(slept, 0u);
    }

    // --- seeded faults --------------------------------------------------------------------------

    // Every seventh instruction says that nothing is live behind it.
    void run_with_values_that_die_early(blocks_t blocks)
    {
        changed_mechanism changed(original);
        changed.rename.issued = [](void *m, const smrf_flight *f, const smrf_inst *inst) {
            smrf_inst wrong = *inst;
            const smrf_inst_facts none{};
            wrong.facts = f->number % 7 ? inst->facts : &none;
            original.rename->issued(m, f, &wrong);
        };
        run(config(1), std::move(blocks), changed.m, false);
        EXPECT_GT(this->d->stats().oracle_violations, 0u);
    }
    // One entry is passed over, stays with the warp and is taken away from it unwritten.
    void run_with_flushes_that_skip_one(blocks_t blocks, const char *law)
    {
        changed_mechanism changed(original);
        changed.schedule.demote = [](void *m, unsigned warp, uint64_t cycle) {
            smrf_cached_values &e = static_cast<state *>(m)->cache.warp[warp].values;
            const uint8_t left = e.count > 0;
            const uint8_t hidden = e.queue[left ? e.count - 1 : 0];
            e.count = uint8_t(e.count - left);
            const bool gone = original.schedule->demote(m, warp, cycle);
            if (left) {
                e.queue[e.count] = hidden;
            }
            e.count = uint8_t(e.count + left);
            return gone;
        };
        run(config(1), std::move(blocks), changed.m, false);
        EXPECT_GT(this->own().faults_resident, 0u);
        EXPECT_NE(std::string::npos, this->broken().find(law));
    }
    void run_with_stale_reads_of_banks(blocks_t blocks, const char *law)
    {
        changed_mechanism changed(original);
        changed.collector.allocate = [](void *m, unsigned sub, unsigned unit, const smrf_flight *f,
                                        uint32_t(*data)[SMRF_LANES], uint32_t *version) {
            const uint32_t missing = original.collector->allocate(m, sub, unit, f, data, version);
            return f->number % 5 ? missing : (1u << f->num_src) - 1;
        };
        run(config(1), std::move(blocks), changed.m, false);
        EXPECT_GT(this->d->stats().oracle_violations, 0u);
        EXPECT_NE(std::string::npos, this->broken().find(law));
    }
};

#endif
