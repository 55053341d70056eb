// SPDX-License-Identifier: Apache-2.0
// One SM with its blocks, fed from programs in memory, with a memory that answers after a fixed
// time. Every issued instruction is written down with its cycle. The wires between the blocks can
// be broken on purpose.
#ifndef SMRF_TESTS_SM_DUT_H
#define SMRF_TESTS_SM_DUT_H

#include "models/blocks/sm_cores.h"
#include "models/ldst/ldst.h"
#include "models/tlm/zeroed.h"
#include "platform/config/registry.h"
#include "platform/engine/engine.h"
#include "replay.h"
#include "tests/support/config_views.h"
#include "traces/trace.h"

#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sm_test
{

// A static instruction of the given class and registers; the lists of the trace and of the model
// are the same.
inline smrf_static_inst op(smrf_class op_class, std::vector<uint8_t> dst = {},
                           std::vector<uint8_t> src = {})
{
    smrf_static_inst o{};
    o.pc = 0x5550; // not what the SIMT stack predicts, so that every issue asks it
    o.op_class = uint8_t(op_class);
    o.num_dst = o.num_dst_base = o.num_dst_listed = uint8_t(dst.size());
    o.num_src = o.num_src_base = o.num_src_listed = uint8_t(src.size());
    std::copy(dst.begin(), dst.end(), o.dst);
    std::copy(src.begin(), src.end(), o.src);
    std::copy_n(dst.begin(), std::min<size_t>(dst.size(), SMRF_MAX_BASE), o.dst_listed);
    std::copy_n(src.begin(), std::min<size_t>(src.size(), SMRF_MAX_BASE), o.src_listed);
    o.text = "TEST";
    return o;
}

struct step {
    smrf_static_inst op;
    uint32_t mask = UINT32_MAX;
    uint64_t address = 0;  // of the first active lane; the next ones stride apart
    uint32_t near_src = 0; // as an annotator would set them
    uint16_t near_dst = 0;
    const smrf_inst_facts *facts = nullptr;
    int64_t stride = 4;
};

using program = std::vector<step>; // of a warp
using block = std::vector<program>;

// Addresses as in memory, eight instructions a line, but not in order within a line: so that every
// issue asks the SIMT stack.
inline void give_addresses(program &p)
{
    for (size_t i = 0; i < p.size(); i++) {
        p[i].op.pc = uint32_t(128 * (i / 8) + 16 * (3 * i % 8));
    }
}

inline step alu(smrf_class c, std::vector<uint8_t> dst, std::vector<uint8_t> src)
{
    return {op(c, dst, src)};
}

inline step exit_step()
{
    return {op(SMRF_CLASS_EXIT)};
}

inline step memory(smrf_class c, smrf_space space, std::vector<uint8_t> dst,
                   std::vector<uint8_t> src, uint64_t address)
{
    step s{op(c, dst, src)};
    s.op.space = uint8_t(space);
    s.op.access_bytes = 4;
    s.address = address;
    return s;
}

// The papers' machine with one SM of one sub-core.
inline smrf_config one_subcore()
{
    smrf_config cfg = replay::preset("rtx2060-paper", {"gpu.sms=1"});
    cfg.sm.subcores = 1;
    cfg.sim.check = true;
    return cfg;
}

// One issue as it was seen.
struct issue {
    uint64_t cycle;
    unsigned warp; // slot of the SM
    size_t index;  // within the warp's program
    bool operator==(const issue &o) const
    {
        return cycle == o.cycle && warp == o.warp && index == o.index;
    }
};

inline std::ostream &operator<<(std::ostream &s, const issue &i)
{
    return s << "cycle " << i.cycle << " warp " << i.warp << " instruction " << i.index;
}

// Blocks of the SM that others take the place of.
struct replaced_parts {
    const smrf_issue_parts *issue = nullptr; // one a sub-core
    const smrf_reading *reading = nullptr;   // the same
    const smrf_fetch_ops *fetch_ops = nullptr;
    void *fetch = nullptr;
};

class dut
{
  public:
    dut(const smrf_config &cfg, std::vector<block> blocks, uint32_t registers = 64,
        uint32_t shared_bytes = 0,
        const smrf_mechanism *mechanism = smrf_mechanism_find("baseline"),
        void *mechanism_state = nullptr, const replaced_parts &parts = {})
        : config(cfg), blocks_(std::move(blocks)), mechanism_(mechanism),
          mechanism_state_(mechanism_state), parts_(parts)
    {
        kernel.warps_per_block = uint32_t(blocks_[0].size());
        kernel.threads_per_block = 32 * kernel.warps_per_block;
        kernel.registers = registers;
        kernel.shared_bytes = shared_bytes;
        kernel.shared_window = UINT64_C(0x7f0a10000000);
        kernel.local_window = UINT64_C(0x7f0a0e000000);
        build();
    }
    dut(const dut &) = delete;
    dut &operator=(const dut &) = delete;

    // Run until all blocks are done; by: cycles of a call.
    void run(uint64_t by = 1000, uint64_t limit = 10000000)
    {
        smrf_sm_begin_kernel(sm(), &kernel, 0);
        issued_in_warp_.assign(SMRF_MAX_WARPS, 0);
        uint64_t until = 1;
        while (done < blocks_.size()) {
            ASSERT_LT(smrf_sm_cycle(sm()), limit) << "no end";
            until += std::min(by, memory_latency);
            advance(until);
        }
        if (laws) {
            replay::expect_laws(stats(), config);
        }
    }
    void advance(uint64_t until)
    {
        if (sleepless) {
            smrf_sm_port_free(sm()); // wakes the SM whether or not it has something to do
        }
        while (!responses_.empty()) {
            smrf_mem_response r = responses_.front();
            responses_.erase(responses_.begin());
            smrf_sm_response(sm(), &r);
        }
        while (smrf_sm_run(sm(), until) == SMRF_SM_WANTS_BLOCK) {
            if (launched_ == blocks_.size()) {
                smrf_sm_set_more_blocks(sm(), false);
            } else {
                launches.push_back(smrf_sm_cycle(sm()));
                smrf_sm_launch_block(sm(), &blocks_[launched_++]);
                resident++;
                most_resident = std::max(most_resident, resident);
            }
        }
        ASSERT_EQ(0, smrf_sm_error(sm()));
    }
    smrf_sm *sm() const
    {
        return sm_;
    }
    const struct smrf_sm_stats &stats() const
    {
        return *smrf_sm_stats_get(sm_);
    }
    // Cycles in which a warp's instructions were issued.
    std::vector<uint64_t> cycles_of(unsigned warp) const
    {
        std::vector<uint64_t> all;
        for (auto &i : issues) {
            if (i.warp == warp) {
                all.push_back(i.cycle);
            }
        }
        return all;
    }

    smrf_config config;
    smrf_sm_kernel kernel{};
    std::vector<issue> issues;
    std::vector<uint64_t> launches; // cycle of each block's launch
    std::vector<uint64_t> ends;     // cycle of each block's end
    uint64_t memory_latency = 200;
    size_t done = 0, resident = 0, most_resident = 0;
    bool laws = true;
    uint32_t slower_banks = 0; // cycles that every bank read takes beyond the configured ones
    bool sleepless = false;    // with run(1): every cycle is simulated
    int source_error = 0;      // returned instead of the next instruction
    // Faults, called in place of the healthy wire.
    std::function<void(unsigned sub, uint32_t word, uint32_t *data, uint32_t *version)> on_read;
    std::function<void(const smrf_write *)> on_write;
    // What the SIMT stack makes of a line; without one, nothing.
    std::function<void(const smrf_simt_line *, smrf_simt_out *)> on_line;
    // Its blocks, and the way back from them to here.
    struct owned_blocks : smrf_sm_cores {
        dut *owner;
    };
    std::unique_ptr<owned_blocks> plain = std::make_unique<owned_blocks>();

    // The healthy ends of the wires.
    void read(unsigned sub, uint32_t word, uint32_t *data, uint32_t *version)
    {
        smrf_operand_latches latches;
        const unsigned i = smrf_read_source(word);
        delay_ = healthy_.read(plain.get(), sub, smrf_read_collector(word), &word, 1,
                               data ? &latches : nullptr);
        if (data) {
            std::copy_n(latches.data[i], SMRF_LANES, data);
            *version = latches.version[i];
        }
    }
    void write(const smrf_write *w)
    {
        healthy_.write(plain.get(), w);
    }
    const smrf_flight &flight(uint32_t number) const
    {
        return plain->flights->record[number];
    }

  private:
    struct free_deleter {
        void operator()(void *p) const
        {
            std::free(p);
        }
    };
    static dut *self(void *ctx)
    {
        return static_cast<dut *>(ctx);
    }
    static dut *owner_of(void *wires)
    {
        return static_cast<owned_blocks *>(static_cast<smrf_sm_cores *>(wires))->owner;
    }
    static uint32_t read_wire(void *ctx, unsigned sub, unsigned, const uint32_t *words,
                              unsigned count, smrf_operand_latches *to)
    {
        dut *d = owner_of(ctx);
        for (unsigned n = 0; n < count; n++) {
            const unsigned i = smrf_read_source(words[n]);
            uint32_t *data = to ? to->data[i] : nullptr, version = 0;
            d->on_read ? d->on_read(sub, words[n], data, &version)
                       : d->read(sub, words[n], data, &version);
            if (to) {
                to->version[i] = version;
            }
        }
        return d->delay_ + d->slower_banks;
    }
    static void write_wire(void *ctx, const smrf_write *w)
    {
        dut *d = owner_of(ctx);
        d->on_write ? d->on_write(w) : d->write(w);
    }
    static void line_wire(void *ctx, unsigned warp, const smrf_simt_line *line, smrf_simt_out *out)
    {
        dut *d = owner_of(ctx);
        *out = smrf_simt_out{};
        if (d->on_line) {
            d->on_line(line, out);
        }
        d->issues.push_back({smrf_sm_cycle(d->sm_), warp, d->issued_in_warp_[warp]++});
    }
    static uint64_t length(void *, void *handle, uint32_t warp)
    {
        return (*static_cast<block *>(handle))[warp].size();
    }
    static int next(void *ctx, void *handle, uint32_t warp, unsigned, smrf_inst *inst,
                    const smrf_inst **at, smrf_inst_run *)
    {
        *at = inst;
        dut *d = self(ctx);
        if (d->source_error) {
            return d->source_error;
        }
        block *b = static_cast<block *>(handle);
        size_t &come = d->read_[size_t(b - d->blocks_.data())][warp];
        const program &p = (*b)[warp];
        if (come == p.size()) {
            ADD_FAILURE() << "asked for more instructions than there are";
            return SMRF_ERR_STATE;
        }
        const step &s = p[come++];
        inst->op = &s.op;
        inst->values = nullptr;
        inst->mask = s.mask;
        inst->addr_kind = s.address ? SMRF_ADDR_STRIDE : SMRF_ADDR_NONE;
        inst->base = s.address;
        inst->stride = s.stride;
        inst->facts = s.facts;
        inst->imm = 0;
        inst->near_src = s.near_src;
        inst->near_dst = s.near_dst;
        return 1;
    }
    static void block_done(void *ctx, void *, uint64_t cycle)
    {
        self(ctx)->done++;
        self(ctx)->resident--;
        self(ctx)->ends.push_back(cycle);
    }
    static uint64_t number(void *ctx, void *handle)
    {
        return uint64_t(static_cast<block *>(handle) - self(ctx)->blocks_.data());
    }
    static bool send(void *ctx, const smrf_mem_request *r)
    {
        dut *d = self(ctx);
        d->responses_.push_back({r->cycle + d->memory_latency, r->id, r->sm, r->kind});
        d->requests++;
        return true;
    }
    void build()
    {
        smrf_sm_links links{};
        size_t bytes = (smrf_sm_bytes(sm_of(config)) + 63) & ~size_t(63);
        memory_.reset(std::aligned_alloc(64, bytes));
        std::memset(memory_.get(), 0, bytes);
        sm_ = static_cast<smrf_sm *>(memory_.get());
        read_.assign(blocks_.size(), std::vector<size_t>(kernel.warps_per_block));
        store_.reset(static_cast<smrf_sm_cores_store *>(
            smrf::allocate_zeroed(smrf_sm_cores_bytes(sm_of(config)))));
        links.source = {this, length, next, block_done, number};
        links.port = {this, send};
        links.mechanism = mechanism_;
        links.mechanism_state = mechanism_state_;
        links.fetch_ops = parts_.fetch_ops;
        links.fetch = parts_.fetch;
        plain->owner = this;
        plain->issue_parts = parts_.issue;
        plain->reading = parts_.reading;
        ASSERT_EQ(0, smrf_sm_cores_build(plain.get(), store_.get(), sm_of(config), sm_, &links));
        healthy_ = plain->wires;
        plain->wires.read = read_wire;
        plain->wires.write = write_wire;
        plain->wires.line = line_wire;
        simt_config_.binary_version = 75;
        ASSERT_EQ(0, smrf_simt_begin_kernel(&store_->simt, &simt_config_, 0, &log_));
        ASSERT_EQ(0, smrf_sm_init(sm_, sm_of(config), 0, &links));
    }

    std::vector<block> blocks_;
    const smrf_mechanism *mechanism_;
    void *mechanism_state_; // initialised by the test
    const replaced_parts parts_;
    std::unique_ptr<void, free_deleter> memory_;
    smrf::zeroed_ptr<smrf_sm_cores_store> store_;
    smrf_sm *sm_ = nullptr;
    std::vector<std::vector<size_t>> read_; // instructions handed out, by block and warp
    std::vector<size_t> issued_in_warp_ = std::vector<size_t>(SMRF_MAX_WARPS);
    std::vector<smrf_mem_response> responses_;
    smrf_simt_config simt_config_{};
    smrf_simt_log log_{};
    smrf_wires healthy_{};
    uint32_t delay_ = 0; // of the last read
    size_t launched_ = 0;

  public:
    uint64_t requests = 0;
};

} // namespace sm_test

#endif
