// SPDX-License-Identifier: Apache-2.0
// The window against a machine that is stepped cycle by cycle: random launches on toy SMs, whose
// functions stand here in the place of the real ones. Windows, sleeps, pauses and the order in
// which thread blocks are served may not show in anything that happens.
#include "platform/gpu/ahead.h"
#include "platform/gpu/window.h"

#include "models/common/smrf_rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <tuple>
#include <vector>

namespace
{

// A thread block is a list of operations, one after the other.
struct op {
    bool load;      // waits for an answer of the memory
    uint64_t takes; // cycles until the next one; of a load: until its answer
};
using block = std::deque<op>;

struct launch {
    uint64_t latency;
    std::deque<block> blocks;
};

// What happens: cycle, SM, what (0 operation, 1 block done), number on the SM.
using happening = std::tuple<uint64_t, uint32_t, int, uint64_t>;

} // namespace

struct smrf_sm {
    uint32_t id = 0;
    uint64_t cycle = 0; // simulated up to here
    uint64_t wake = SMRF_NEVER;
    bool wants = false, working = false;
    block script;
    int error = 0;
    smrf_sm_stats stats{};
};

namespace
{

struct toy_request {
    uint64_t cycle, arrival;
    uint32_t sm;
    bool answered;
};

struct toy {
    std::deque<launch> program;
    std::deque<block> blocks; // of the present launch
    std::vector<std::unique_ptr<smrf_sm>> sm;
    std::vector<toy_request> sent;
    std::vector<happening> happened;
    std::vector<std::pair<uint64_t, uint64_t>> kernels; // start, end
    std::vector<std::tuple<uint64_t, uint64_t, uint64_t>> edges;
    std::vector<std::pair<char, uint64_t>> told; // b begin, e end, | edge; cycle
    unsigned looked_for_room = 0;
    uint64_t memory_now = 0;
    uint64_t fail_at = SMRF_NEVER; // an SM's error
};
toy *the; // of the running test

// What the SM does in its present cycle, if anything.
void act(smrf_sm &s)
{
    if (s.script.empty()) {
        the->happened.emplace_back(s.cycle, s.id, 1, s.stats.thread_insts);
        s.working = false;
        s.wake = SMRF_NEVER;
        return;
    }
    const op o = s.script.front();
    s.script.pop_front();
    the->happened.emplace_back(s.cycle, s.id, 0, s.stats.thread_insts++);
    s.wake = s.cycle + o.takes;
    if (o.load) {
        the->sent.push_back({s.cycle, s.wake, s.id, false});
        s.wake = SMRF_NEVER;
    }
}

void launch_on(smrf_sm &s, block b)
{
    s.script = std::move(b);
    s.working = true;
    s.wants = false;
    s.wake = s.cycle;
}

void answer(toy_request &r)
{
    r.answered = true;
    ASSERT_LE(the->sm[r.sm]->cycle, r.arrival) << "SM " << r.sm << " has run past an answer";
    the->sm[r.sm]->wake = r.arrival;
}

constexpr uint64_t interval = 50;

size_t edge_bytes(const smrf_mechanism_setup *)
{
    return 8;
}

int edge_init(void *, const smrf_mechanism_setup *)
{
    return 0;
}

uint64_t edge_interval(const smrf_mechanism_setup *)
{
    return interval;
}

// Everybody has been simulated up to the cycle, and nobody further.
void tell(char what, uint64_t cycle)
{
    for (const auto &s : the->sm) {
        EXPECT_TRUE(s->wants || s->wake >= cycle) << "SM " << s->id << " lags behind";
        EXPECT_TRUE(!s->working || s->cycle <= cycle) << "SM " << s->id << " is ahead";
        EXPECT_TRUE(!s->working || the->memory_now <= cycle) << "the memory is ahead";
    }
    EXPECT_TRUE(the->told.empty() || the->told.back().second <= cycle) << "back in time";
    the->told.emplace_back(what, cycle);
}

void kernel_begin(void *, void *const *, const smrf_gpu_launch *, uint64_t cycle)
{
    tell('b', cycle);
}

void kernel_end(void *, void *const *, const smrf_gpu_launch *, uint64_t cycle)
{
    tell('e', cycle);
}

bool edge(void *, void *const *, uint64_t cycle, uint64_t insts, uint64_t launches, uint64_t *)
{
    tell('|', cycle);
    the->edges.emplace_back(cycle, insts, launches);
    return false;
}

} // namespace

// ---- what the window calls ----

extern "C" {

struct smrf_mechanism_setup smrf_mechanism_setup_of(const struct smrf_config *,
                                                    const struct smrf_mechanism *)
{
    return {};
}

uint64_t smrf_sm_next(const struct smrf_sm *sm)
{
    return sm->wake;
}

uint64_t smrf_sm_cycle(const struct smrf_sm *sm)
{
    return sm->cycle;
}

bool smrf_sm_wants_block(const struct smrf_sm *sm)
{
    return sm->wants;
}

// Nobody's oracle has anything to settle.
void smrf_sm_settle(struct smrf_sm *const *, unsigned) {}

const struct smrf_sm_stats *smrf_sm_stats_get(struct smrf_sm *sm)
{
    return &sm->stats;
}

int smrf_gpu_init(struct smrf_gpu *gpu, const struct smrf_config *cfg, struct smrf_trace *,
                  struct smrf_sm **sm, struct smrf_gpu_feed *)
{
    *gpu = {};
    gpu->cfg = cfg;
    gpu->sm = sm;
    return SMRF_OK;
}

int smrf_gpu_next_kernel(struct smrf_gpu *gpu, uint64_t cycle)
{
    if (the->program.empty()) {
        return 0;
    }
    const uint64_t start = cycle + the->program.front().latency;
    the->blocks = the->program.front().blocks;
    the->program.pop_front();
    gpu->kernel.start = start;
    gpu->kernel.end = 0;
    return 1;
}

void smrf_gpu_begin_kernel(struct smrf_gpu *gpu)
{
    gpu->last_done = gpu->kernel.start;
    gpu->more_blocks = gpu->running = true;
    for (const auto &s : the->sm) {
        s->cycle = gpu->kernel.start;
        s->wants = true;
    }
}

void smrf_gpu_look_for_room(struct smrf_gpu *)
{
    the->looked_for_room++;
}

int smrf_gpu_settle(struct smrf_gpu *)
{
    for (const auto &s : the->sm) {
        if (s->error) {
            return s->error;
        }
    }
    return SMRF_OK;
}

uint64_t smrf_gpu_waiting(const struct smrf_gpu *gpu)
{
    uint64_t first = SMRF_NEVER;
    for (const auto &s : the->sm) {
        first = gpu->more_blocks && s->wants ? std::min(first, s->cycle) : first;
    }
    return first;
}

int smrf_gpu_serve(struct smrf_gpu *gpu)
{
    int best = -1;
    for (const auto &s : the->sm) {
        if (s->wants && (best < 0 || s->cycle < the->sm[static_cast<size_t>(best)]->cycle)) {
            best = static_cast<int>(s->id);
        }
    }
    if (best >= 0 && the->blocks.empty()) {
        gpu->more_blocks = false;
        for (const auto &s : the->sm) {
            s->wants = false;
        }
        return -1;
    }
    if (best >= 0) {
        gpu->blocks_running++;
        launch_on(*the->sm[static_cast<size_t>(best)], the->blocks.front());
        the->blocks.pop_front();
    }
    return best;
}

uint64_t smrf_gpu_next_event(const struct smrf_gpu *)
{
    uint64_t next = SMRF_NEVER;
    for (const auto &s : the->sm) {
        next = std::min(next, s->wants ? s->cycle : s->wake);
    }
    return next;
}

bool smrf_gpu_kernel_done(struct smrf_gpu *gpu)
{
    if (gpu->running && !gpu->more_blocks && gpu->blocks_running == 0) {
        gpu->running = false;
        gpu->kernel.end = gpu->last_done;
    }
    return !gpu->running;
}

uint64_t smrf_gpu_next_start(const struct smrf_gpu *gpu)
{
    return gpu->kernel.end + 1;
}

int smrf_gpu_catch_up(struct smrf_gpu *, uint64_t cycle)
{
    for (const auto &s : the->sm) {
        EXPECT_TRUE(s->wants || s->wake >= cycle) << "SM " << s->id << " has been left behind";
    }
    return SMRF_OK;
}

void smrf_gpu_drop_blocks(struct smrf_gpu *) {}

void smrf_gpu_close(struct smrf_gpu *) {}

// It has no trace to be read.
void smrf_gpu_ahead_init(struct smrf_gpu *, struct smrf_crew *) {}
void smrf_gpu_ahead_begin(struct smrf_gpu *) {}
void smrf_gpu_ahead_end(struct smrf_gpu *) {}
}

namespace
{

// Run an SM up to `until`, or to where it wants a block.
void run(smrf_gpu &gpu, smrf_sm &s, uint64_t until)
{
    while (!s.wants && s.wake < until) {
        s.cycle = std::max(s.cycle, s.wake);
        if (s.cycle >= the->fail_at) {
            s.error = SMRF_ERR_FORMAT;
            return;
        }
        const bool worked = s.working;
        act(s);
        if (worked && !s.working) {
            gpu.blocks_running--;
            gpu.last_done = std::max(gpu.last_done, s.cycle);
            s.wants = gpu.more_blocks;
        }
    }
    if (!s.wants) {
        s.cycle = std::max(s.cycle, until);
    }
}

bool awaits(const smrf_sm &s)
{
    return std::any_of(the->sent.begin(), the->sent.end(),
                       [&](const auto &r) { return r.sm == s.id && !r.answered; });
}

// .. and on, while no answer can come.
void run_on(smrf_gpu &gpu, smrf_sm &s, const smrf_sm_reach &reach)
{
    run(gpu, s, reach.until);
    while (reach.latency && s.cycle < reach.far && s.working && !s.error && !awaits(s)) {
        run(gpu, s, std::min(reach.far, s.cycle + reach.latency));
    }
}

struct plan {
    std::deque<launch> program;
    uint32_t sms;
    uint32_t lookahead; // 0: answers come unannounced
};

plan random_plan(smrf_rng *rng, bool announced)
{
    plan p;
    p.sms = 1 + smrf_rng_below(rng, 4);
    p.lookahead = announced ? 1 + smrf_rng_below(rng, 40) : 0;
    const uint64_t least = p.lookahead ? p.lookahead : 1;
    for (uint32_t k = 1 + smrf_rng_below(rng, 3); k > 0; k--) {
        launch l{smrf_rng_below(rng, 20), {}};
        for (uint32_t n = smrf_rng_below(rng, 12); n > 0; n--) {
            block b;
            for (uint32_t i = smrf_rng_below(rng, 6); i > 0; i--) {
                const bool load = smrf_rng_below(rng, 2);
                const uint64_t more = smrf_rng_below(rng, smrf_rng_below(rng, 6) ? 8 : 150);
                b.push_back({load, (load ? least : 1) + more});
            }
            l.blocks.push_back(b);
        }
        p.program.push_back(l);
    }
    return p;
}

void fill(toy *t, const plan &p)
{
    t->program = p.program;
    for (uint32_t i = 0; i < p.sms; i++) {
        t->sm.push_back(std::make_unique<smrf_sm>());
        t->sm[i]->id = i;
    }
}

// The reference: every cycle of every launch, one after the other.
void run_slowly(const plan &p, toy *t)
{
    the = t;
    fill(t, p);
    smrf_gpu gpu{};
    uint64_t cycle = 0;
    while (smrf_gpu_next_kernel(&gpu, cycle) == 1) {
        smrf_gpu_begin_kernel(&gpu);
        for (cycle = gpu.kernel.start; !smrf_gpu_kernel_done(&gpu); cycle++) {
            for (const auto &r : t->sent) {
                if (r.arrival == cycle) {
                    t->sm[r.sm]->wake = cycle;
                }
            }
            do {
                for (const auto &s : t->sm) {
                    run(gpu, *s, cycle + 1);
                }
            } while (smrf_gpu_serve(&gpu) >= 0);
        }
        t->kernels.emplace_back(gpu.kernel.start, gpu.kernel.end);
        cycle = gpu.kernel.end + 1;
    }
}

// Operations before a cycle, launches begun before it or in it.
uint64_t operations_before(const toy &t, uint64_t cycle)
{
    return static_cast<uint64_t>(
        std::count_if(t.happened.begin(), t.happened.end(), [&](const happening &h) {
            return std::get<2>(h) == 0 && std::get<0>(h) < cycle;
        }));
}

std::vector<happening> sorted(std::vector<happening> h)
{
    std::sort(h.begin(), h.end());
    return h;
}

// An engine that does what the window says, with time that passes as it likes.
class engine
{
  public:
    engine(const plan &p, toy *t, uint64_t seed, uint32_t quantum, bool edges = true,
           bool follows = false)
        : plan_(p), toy_(t)
    {
        the = t;
        fill(t, p);
        smrf_rng_seed(&rng_, seed, 1);
        cfg_.gpu.sms = p.sms;
        cfg_.sim.quantum = quantum;
        cfg_.sim.watchdog = 1000;
        seam_.bytes = edge_bytes;
        seam_.init = edge_init;
        seam_.kernel_begin = kernel_begin;
        seam_.kernel_end = kernel_end;
        seam_.interval = edge_interval;
        seam_.edge = edge;
        mechanism_.gpu = edges ? &seam_ : nullptr;
        smrf_gpu_hooks hooks{};
        hooks.ctx = this;
        hooks.kernel_end = [](void *, const smrf_gpu_kernel *k) {
            the->kernels.emplace_back(k->start, k->end);
        };
        hooks.window = [](void *ctx, const smrf_machine *m) {
            return static_cast<engine *>(ctx)->look(m);
        };
        EXPECT_EQ(0, smrf_window_init(&window, &cfg_, &mechanism_, &hooks, p.lookahead, follows));
        for (uint32_t i = 0; i < p.sms; i++) {
            window.machine.sm[i] = t->sm[i].get();
        }
        if (p.lookahead) {
            window.memory_ctx = this;
            window.memory_next = [](void *ctx) {
                uint64_t next = SMRF_NEVER;
                for (const auto &r : the->sent) {
                    next = r.answered ? next : std::min(next, static_cast<engine *>(ctx)->known(r));
                }
                return next;
            };
        }
        EXPECT_EQ(0, smrf_window_load(&window, nullptr));
    }
    ~engine()
    {
        smrf_window_free(&window);
    }

    // Until it pauses. patient: time waits for the engine.
    int run_to(uint64_t limit, bool patient)
    {
        smrf_window_resume(&window, limit);
        for (unsigned steps = 0; steps < 100000; steps++) {
            switch (smrf_window_next(&window, patient ? SMRF_NEVER : time + 1)) {
            case SMRF_WINDOW_SLEEP:
                sleep(window.at, patient);
                break;
            case SMRF_WINDOW_KERNEL:
                EXPECT_TRUE(patient || time >= closed) << "before the window's end has come";
                kernels_begun++;
                break;
            case SMRF_WINDOW_MEMORY:
                catch_up();
                if (window.at != toy_->memory_now) {
                    advance(window.at);
                }
                closed = window.at;
                break;
            case SMRF_WINDOW_RUN:
                EXPECT_GT(window.num_run, 0u);
                EXPECT_LE(window.until, toy_->memory_now + std::max(plan_.lookahead, 1u));
                EXPECT_LE(window.until, limit);
                if (window.beside) {
                    EXPECT_EQ(0u, beside_) << "two at a time";
                    beside_ = window.beside;
                }
                EXPECT_TRUE(patient || window.cycle <= time) << "a window before its time";
                for (uint32_t i = 0; i < window.num_run; i++) {
                    run_on(window.gpu, *toy_->sm[window.run[i]], smrf_window_reach(&window));
                }
                break;
            case SMRF_WINDOW_PAUSE:
                if (window.end == SMRF_RUN_STOPPED) {
                    closed = 0; // the hook's word counts at once
                    nobody_is_ahead();
                }
                EXPECT_TRUE(patient || time >= closed) << "before the window's end has come";
                return window.end;
            }
        }
        ADD_FAILURE() << "no end";
        return -1000;
    }

    smrf_window window;
    uint64_t time = 0;   // the cycle that has come
    uint64_t closed = 0; // end of the latest window
    unsigned kernels_begun = 0, looks = 0;
    uint32_t stop_one_in = 0; // the hook stops the run; 0: never

  private:
    bool look(const smrf_machine *m)
    {
        looks++;
        EXPECT_EQ(m->cycle, window.cycle);
        return stop_one_in == 0 || smrf_rng_below(&rng_, stop_one_in) != 0;
    }

    // The run ends at a cycle of the whole machine.
    void nobody_is_ahead() const
    {
        for (const auto &s : toy_->sm) {
            EXPECT_TRUE(!s->working || s->cycle <= window.machine.cycle) << "SM " << s->id;
        }
    }

    // The memory knows an answer when it has been run past this cycle, and no earlier.
    uint64_t known(const toy_request &r) const
    {
        return std::max(r.cycle, r.arrival - plan_.lookahead);
    }

    // What the memory has done while the SMs ran is told as late as it may be.
    void catch_up()
    {
        if (beside_) {
            advance(beside_);
        }
        beside_ = 0;
    }

    // Everything before `now` has been sent.
    void advance(uint64_t now)
    {
        ASSERT_GE(now, toy_->memory_now);
        for (auto &r : toy_->sent) {
            if (plan_.lookahead && !r.answered && known(r) < now) {
                answer(r);
            }
        }
        toy_->memory_now = now;
    }

    // Up to that cycle, or to an answer that nobody had announced.
    void sleep(uint64_t at, bool patient)
    {
        uint64_t to = at;
        if (plan_.lookahead == 0) {
            for (const auto &r : toy_->sent) {
                to = r.arrival > time ? std::min(to, r.arrival) : to;
            }
        }
        ASSERT_NE(to, SMRF_NEVER) << "asleep for ever";
        if (patient && plan_.lookahead) {
            return;
        }
        if (to > time) { // something else may wake it before
            time = smrf_rng_below(&rng_, 4)
                       ? to
                       : time + smrf_rng_below(&rng_, static_cast<uint32_t>(1 + to - time));
        }
        for (auto &r : toy_->sent) {
            if (plan_.lookahead == 0 && !r.answered && r.arrival == time) {
                answer(r);
            }
        }
    }

    const plan plan_;
    toy *toy_;
    uint64_t beside_ = 0;
    smrf_rng rng_{};
    smrf_config cfg_{};
    smrf_mechanism mechanism_{};
    smrf_gpu_seam seam_{};
};

} // namespace

// Seed; are answers announced; does time wait for the engine; does the memory follow a window
// behind.
class RandomWindow : public testing::TestWithParam<std::tuple<uint32_t, int>>
{
};

TEST_P(RandomWindow, DoesNotShow)
{
    const auto [seed, kind] = GetParam();
    const bool announced = kind != 2, patient = kind % 3 == 0, follows = kind >= 3;
    smrf_rng rng;
    smrf_rng_seed(&rng, seed, 0);
    const plan p = random_plan(&rng, announced);
    toy slow, quick;
    run_slowly(p, &slow);

    const uint32_t longest = smrf_rng_below(&rng, 3) ? 60 : 600;
    engine e(p, &quick, seed, 1 + smrf_rng_below(&rng, longest), true, follows);
    e.window.latency = smrf_rng_below(&rng, 3) ? p.lookahead : 0; // SMs run on, or do not
    e.stop_one_in = smrf_rng_below(&rng, 2) ? 7 : 0;
    uint64_t limit = smrf_rng_below(&rng, 2) ? SMRF_NEVER : 1;
    int end;
    while ((end = e.run_to(limit, patient)) != SMRF_RUN_FINISHED) {
        ASSERT_TRUE(end == SMRF_RUN_LIMIT || end == SMRF_RUN_STOPPED) << end;
        if (end == SMRF_RUN_LIMIT) {
            ASSERT_EQ(e.window.machine.cycle, limit);
            limit += 1 + smrf_rng_below(&rng, 100);
        }
        if (HasFailure()) {
            return;
        }
    }
    EXPECT_EQ(sorted(slow.happened), sorted(quick.happened));
    EXPECT_EQ(slow.kernels, quick.kernels);
    EXPECT_EQ(e.kernels_begun, p.program.size());

    // Every edge passed once, with all that happened before it and nothing else.
    uint64_t next = interval, before = 0;
    for (const auto &[cycle, insts, launches] : quick.edges) {
        EXPECT_EQ(cycle, next);
        EXPECT_EQ(insts, operations_before(slow, cycle) - before) << "edge at " << cycle;
        EXPECT_LE(launches, p.program.size());
        before = operations_before(slow, cycle);
        next += interval;
    }

    // Every launch told at its beginning and its end, in turn.
    std::vector<std::pair<char, uint64_t>> ends;
    std::copy_if(quick.told.begin(), quick.told.end(), std::back_inserter(ends),
                 [](const auto &t) { return t.first != '|'; });
    ASSERT_EQ(ends.size(), 2 * slow.kernels.size());
    for (size_t k = 0; k < slow.kernels.size(); k++) {
        const uint64_t handed = slow.kernels[k].first - p.program[k].latency;
        EXPECT_EQ(ends[2 * k], (std::pair<char, uint64_t>{'b', handed}));
        EXPECT_EQ(ends[2 * k + 1], (std::pair<char, uint64_t>{'e', slow.kernels[k].second + 1}));
    }
}

INSTANTIATE_TEST_SUITE_P(SeedsAndKinds, RandomWindow,
                         testing::Combine(testing::Range(1u, 60u), testing::Values(0, 1, 2, 3, 4)));

namespace
{

plan one_block(block b, uint32_t lookahead = 10)
{
    return {{{0, {std::move(b)}}}, 1, lookahead};
}

} // namespace

TEST(Window, SleepsOverCyclesInWhichNothingHappens)
{
    toy t;
    engine e(one_block({{false, 900}, {false, 1}}), &t, 1, 1000, false);
    EXPECT_EQ(e.run_to(SMRF_NEVER, true), SMRF_RUN_FINISHED);
    EXPECT_LE(e.looks, 3u) << "a window in which nothing happens";
    EXPECT_EQ(t.kernels.at(0).second, 901u);
}

TEST(Window, AnSmThatAwaitsNothingRunsOnPastIt)
{
    block steps, loads;
    for (int i = 0; i < 40; i++) {
        steps.push_back({false, 20});
        loads.push_back({true, 20});
    }
    for (const bool all : {false, true}) {
        toy t;
        engine e({{{0, {steps, all ? steps : loads}}}, 2, 10}, &t, 1, 500, false);
        e.window.latency = 10;
        e.run_to(1, true);
        EXPECT_EQ(e.run_to(SMRF_NEVER, true), SMRF_RUN_FINISHED);
        EXPECT_EQ(t.kernels.at(0).second, 800u);
        EXPECT_EQ(all, e.looks < 20) << e.looks << " windows";
    }
}

TEST(Window, AStoppedRunEndsWhereTheSmThatIsFurthestHasCome)
{
    block steps, loads;
    for (int i = 0; i < 40; i++) {
        steps.push_back({false, 20});
        loads.push_back({true, 20});
    }
    toy t;
    engine e({{{0, {steps, loads}}}, 2, 10}, &t, 1, 500, false);
    e.window.latency = 10;
    e.stop_one_in = 1;
    EXPECT_EQ(e.run_to(SMRF_NEVER, true), SMRF_RUN_STOPPED);
    EXPECT_EQ(e.looks, 1u) << "nobody is asked again on the way there";
    EXPECT_GE(e.window.machine.cycle, 500u);
    EXPECT_EQ(t.sm[0]->cycle, e.window.machine.cycle);
    EXPECT_GE(t.sm[1]->cycle, 490u);
    e.stop_one_in = 0;
    EXPECT_EQ(e.run_to(SMRF_NEVER, true), SMRF_RUN_FINISHED) << "it goes on";
    EXPECT_EQ(t.kernels.at(0).second, 800u);
}

TEST(Window, ShowsTheHookAMachineThatWaitsForWhatDoesNotComeOnceAWatchdogsTime)
{
    for (uint32_t lookahead : {0u, 10u}) {
        toy t;
        engine e(one_block({{false, 1}}, lookahead), &t, 1, 1000, false);
        e.run_to(1, true);
        t.sm[0]->wake = SMRF_NEVER; // it hangs
        EXPECT_EQ(e.run_to(100000, true), SMRF_RUN_LIMIT);
        EXPECT_GE(e.looks, 97u) << "lookahead " << lookahead;
        EXPECT_LE(e.looks, 102u) << "lookahead " << lookahead;
    }
}

TEST(Window, PausesWithTheErrorOfAnSm)
{
    toy t;
    t.fail_at = 5;
    engine e(one_block({{false, 3}, {false, 3}, {false, 3}}), &t, 1, 1000);
    EXPECT_EQ(e.run_to(SMRF_NEVER, true), SMRF_ERR_FORMAT);
    EXPECT_TRUE(t.kernels.empty());
}

TEST(Window, TakesNoOtherTraceWhileALaunchRuns)
{
    toy t;
    engine e(one_block({{false, 30}}), &t, 1, 1000);
    EXPECT_EQ(e.run_to(5, true), SMRF_RUN_LIMIT);
    EXPECT_EQ(SMRF_ERR_STATE, smrf_window_load(&e.window, e.window.gpu.trace));
    EXPECT_EQ(e.run_to(SMRF_NEVER, true), SMRF_RUN_FINISHED) << "it goes on";
    EXPECT_EQ(t.kernels.size(), 1u);
    EXPECT_EQ(SMRF_OK, smrf_window_load(&e.window, e.window.gpu.trace));
}
