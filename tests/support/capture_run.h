// SPDX-License-Identifier: Apache-2.0
// A kernel run under a capture, with a plain record of what the capture heard beside it, and a
// trace read back whole.
#ifndef SMRF_TEST_CAPTURE_RUN_H
#define SMRF_TEST_CAPTURE_RUN_H

#include "firmware/capture/capture.h"
#include "tests/support/sass_text.h"
#include "tests/support/temporary_folder.h"

#include <array>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace smrf_test
{

// One execution by a warp. lanes without meaning are zero.
struct seen_inst {
    uint64_t address = 0; // of the code; a PC where it was read from a trace
    uint32_t mask = 0;
    std::string opcode;
    bool memory = false;
    std::array<uint64_t, 32> lane{};
    bool operator==(const seen_inst &o) const
    {
        return address == o.address && mask == o.mask && opcode == o.opcode && memory == o.memory &&
               lane == o.lane;
    }
};

// launch, linear block, warp
using seen_key = std::tuple<unsigned, uint64_t, uint32_t>;
using seen_trace = std::map<seen_key, std::vector<seen_inst>>;

// Hears what the capture hears, and writes it down as it comes.
class recorder
{
  public:
    explicit recorder(const smrf_device_listener *inner) : inner_(inner)
    {
        own_ = {this,
                [](void *ctx, smrf_dptr to, uint64_t bytes) {
                    return self(ctx)->inner_->copy(self(ctx)->inner_->ctx, to, bytes);
                },
                [](void *ctx, const smrf_exec_launch *l) {
                    recorder *r = self(ctx);
                    r->launch_++;
                    r->grid_ = l->grid;
                    return r->inner_->launch_begin(r->inner_->ctx, l);
                },
                {this,
                 [](void *ctx, smrf_exec_dim id, uint32_t warps) {
                     recorder *r = self(ctx);
                     r->block_ = (uint64_t(id.z) * r->grid_.y + id.y) * r->grid_.x + id.x;
                     return r->inner_->exec.block_begin(r->inner_->exec.ctx, id, warps);
                 },
                 [](void *ctx, smrf_exec_dim id) {
                     recorder *r = self(ctx);
                     r->block_ = (uint64_t(id.z) * r->grid_.y + id.y) * r->grid_.x + id.x;
                     r->inner_->exec.block_resume(r->inner_->exec.ctx, id);
                 },
                 before, after,
                 [](void *ctx) {
                     return self(ctx)->inner_->exec.block_end(self(ctx)->inner_->exec.ctx);
                 },
                 nullptr, nullptr},
                [](void *ctx, const smrf_exec_launch *l, const smrf_exec_totals *t) {
                    return self(ctx)->inner_->launch_end(self(ctx)->inner_->ctx, l, t);
                },
                [](void *ctx, const smrf_exec_launch *l) {
                    return self(ctx)->inner_->launch_failed(self(ctx)->inner_->ctx, l);
                }};
    }
    const smrf_device_listener *listener() const
    {
        return &own_;
    }
    seen_trace seen;

  private:
    static recorder *self(void *ctx)
    {
        return static_cast<recorder *>(ctx);
    }
    static int before(void *ctx, const smrf_exec_warp *w, const smrf_exec_op *op, uint32_t active,
                      uint32_t mask)
    {
        const smrf_exec_listener &l = self(ctx)->inner_->exec;
        return l.before ? l.before(l.ctx, w, op, active, mask) : 0;
    }
    static int after(void *ctx, const smrf_exec_warp *w, const smrf_exec_op *op, uint32_t active,
                     uint32_t mask, const uint64_t *address)
    {
        recorder *r = self(ctx);
        seen_inst s;
        s.address = op->inst->address;
        s.mask = mask;
        s.opcode = op->inst->mnemonic;
        s.memory = address != nullptr && mask != 0;
        for (unsigned l = 0; s.memory && l < 32; l++) {
            s.lane[l] = mask >> l & 1 ? address[l] : 0;
        }
        r->seen[{r->launch_, r->block_, w->index}].push_back(s);
        const smrf_exec_listener &in = r->inner_->exec;
        return in.after(in.ctx, w, op, active, mask, address);
    }
    const smrf_device_listener *inner_;
    smrf_device_listener own_{};
    unsigned launch_ = 0;
    uint64_t block_ = 0;
    smrf_exec_dim grid_{};
};

// Values of one execution: {register, lanes} of destinations, then of sources.
using seen_values = std::vector<std::pair<unsigned, std::array<uint32_t, 32>>>;

struct read_trace {
    int rc = 0;
    std::string error;
    std::vector<std::string> warnings;
    std::vector<smrf_kernel_info> infos; // strings in it are gone
    std::vector<std::string> names;
    std::set<std::string> words; // what the texts of op point to: the trace's own are gone
    seen_trace seen;
    std::map<seen_key, std::vector<seen_values>> values;
    std::map<std::pair<unsigned, uint32_t>, smrf_static_inst> op; // launch, PC
    uint64_t copies = 0;
};

inline void read_block(smrf_trace *t, smrf_trace_block *b, const smrf_kernel_info &info,
                       unsigned launch, read_trace &out)
{
    smrf_dim3 id = smrf_trace_block_id(b);
    uint64_t linear = (uint64_t(id.z) * info.grid.y + id.y) * info.grid.x + id.x;
    for (uint32_t w = 0; w < smrf_trace_block_warps(b); w++) {
        static smrf_inst inst;
        const seen_key key{launch, linear, w};
        while ((out.rc = smrf_trace_next_inst(b, w, &inst)) == 1) {
            seen_inst s;
            s.address = inst.op->pc;
            s.mask = inst.mask;
            s.opcode = inst.op->text;
            s.memory = inst.addr_kind != SMRF_ADDR_NONE;
            unsigned k = 0;
            for (unsigned l = 0; s.memory && l < 32; l++) {
                if (inst.mask >> l & 1) {
                    s.lane[l] = inst.addr_kind == SMRF_ADDR_LIST
                                    ? inst.lane[l]
                                    : inst.base + k++ * static_cast<uint64_t>(inst.stride);
                }
            }
            out.seen[key].push_back(s);
            smrf_static_inst &op = out.op[{launch, inst.op->pc}];
            op = *inst.op;
            op.text = out.words.insert(op.text).first->c_str();
            seen_values v;
            auto add = [&](unsigned reg, const uint32_t *lanes) {
                std::array<uint32_t, 32> row{};
                for (unsigned l = 0; l < 32; l++) {
                    row[l] = inst.mask >> l & 1 ? lanes[l] : 0;
                }
                v.emplace_back(reg, row);
            };
            for (unsigned i = 0; inst.values && i < inst.values->num_dst; i++) {
                add(inst.op->dst[i], inst.values->dst[i]);
            }
            for (unsigned i = 0; inst.values && i < inst.values->num_src; i++) {
                add(inst.op->src[i], inst.values->src[i]);
            }
            out.values[key].push_back(v);
        }
        if (out.rc < 0) {
            break;
        }
    }
    smrf_trace_release_block(t, b);
}

inline read_trace read_back(const std::string &path)
{
    read_trace out;
    smrf_trace *t = nullptr;
    smrf_kernel_info info;
    out.rc = smrf_trace_open(&t, path.c_str(), nullptr);
    unsigned launch = 0;
    while (out.rc >= 0 && (out.rc = smrf_trace_next_kernel(t, &info)) == 1) {
        launch++;
        out.names.emplace_back(info.name);
        out.infos.push_back(info);
        smrf_trace_block *b = nullptr;
        while (out.rc >= 0 && (out.rc = smrf_trace_next_block(t, &b)) == 1) {
            read_block(t, b, info, launch, out);
        }
    }
    out.error = smrf_trace_error(t);
    for (size_t i = 0; smrf_trace_warning(t, i) != nullptr; i++) {
        out.warnings.emplace_back(smrf_trace_warning(t, i));
    }
    out.copies = smrf_trace_totals_get(t)->memcpy_commands;
    smrf_trace_close(t);
    return out;
}

inline std::string file_text(const std::string &path)
{
    std::ifstream in(path, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

// Every file of a folder by name.
inline std::map<std::string, std::string> folder_files(const std::string &path)
{
    std::map<std::string, std::string> files;
    if (std::filesystem::exists(path)) {
        for (const auto &e : std::filesystem::directory_iterator(path)) {
            files[e.path().filename().string()] = file_text(e.path().string());
        }
    }
    return files;
}

} // namespace smrf_test

#endif
