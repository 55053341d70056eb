// SPDX-License-Identifier: Apache-2.0
// The blocks of an SM as modules around their cores (sm_cores.h), and the sockets between them:
//
//   issue ──► collectors ──read──► crossbar ──► banks ◄──── write-back ◄── units ──► load/store
//    │ │ ▲      │  ▲ ▲  └─request─► arbiter ─grant─┐  ▲        │ │ │        ▲            │ │ │
//    │ │ │      │  │ └─────────────────────────────┘  └─ port ─┘ │ │        │            │ │ │
//    │ │ └──────┼──┼── settled, collected, answers ──────────────┘ │        └── loads ───┘ │ │
//    │ │        └──┼── dispatch, drained ──────────────────────────┼────────┘              │ │
//    │ └─ port R ─ operand cache (ports H and S) ◄──── port D ─────┘                       │ │
//    └─► SIMT stack                                                                        │ │
//   mapping controller, where the mechanism has one ◄──────────────────────────────────────┘ │
//   issue ◄── answers ───────────────────────────────────────────────────────────────────────┘
//   issue ──flush──► load/store
//   merge unit ──► collectors ──part──► merge unit ──► write-back
//   issue ──constant──► constant cache of the sub-core
//   front end ──fetch──► instruction cache of a sub-core ──► instruction cache of the SM
//
// These caches are there where they have a size. With rf.read=window the read stages
// (models/read_stage) stand for collectors and arbiter, and a forward wire, the bypass, leads from
// the units to them.
//
// Every wire of struct smrf_wires between two of these modules ends in a socket, and each call of
// it is a transaction. The values behind the timing (operands, value, shared, copied) are no
// hardware; room and done pass inside the units, which include write-back.
#ifndef SMRF_BLOCKS_SM_BLOCKS_H
#define SMRF_BLOCKS_SM_BLOCKS_H

#include "models/arbiter/arbiter_module.h"
#include "models/bank/bank_module.h"
#include "models/blocks/sm_cores.h"
#include "models/collector/collector_module.h"
#include "models/frontend/constant_l0_module.h"
#include "models/frontend/fetch_module.h"
#include "models/frontend/icache_module.h"
#include "models/frontend/l0_module.h"
#include "models/issue/issue_module.h"
#include "models/ldst/ldst_module.h"
#include "models/ldst/merge_module.h"
#include "models/read_stage/read_stage_module.h"
#include "models/seam/mapping_module.h"
#include "models/seam/operand_cache_module.h"
#include "models/simt_stack/simt_stack_module.h"
#include "models/tlm/connections.h"
#include "models/tlm/payload_pool.h"
#include "models/tlm/window_clock.h"
#include "models/units/units_module.h"
#include "models/xbar/xbar_module.h"

#include <array>
#include <memory>
#include <vector>

namespace smrf
{

class sm_blocks
{
  public:
    // cores: built; their wires are changed by connect_wires(). mechanism_state: its own.
    struct place {
        smrf_sm_cores *cores;
        const smrf_mechanism *mechanism;
        void *mechanism_state;
        sc_core::sc_time period; // of a core cycle
        bool monitors;           // a protocol monitor on every connection
    };
    // In the constructor of the module that they are to be part of.
    explicit sm_blocks(const place &p);

    // Once: the cores' wires end in the modules' sockets.
    void connect_wires();
    // Transactions of a kind that were sent; 0 of those to the memory.
    uint64_t transactions(smrf_port_kind kind) const;
    // A window begins: simulated time may have moved. Cycle 0 is the time `origin` from now on.
    void begin_window()
    {
        clock_.restart();
    }
    void set_origin(const sc_core::sc_time &origin)
    {
        clock_.reset(origin);
    }
    // What a module remembers of transactions; the cores are reset apart.
    void reset();

    rf_pool &pool()
    {
        return pool_;
    }
    bank_module &bank(unsigned sub, unsigned index)
    {
        return *subs_[sub]->banks[index];
    }
    // What the monitors have seen and found.
    uint64_t monitored() const
    {
        return links_.transactions();
    }
    uint64_t violations() const
    {
        return links_.violations();
    }

  private:
    struct subcore {
        std::unique_ptr<issue_module> issue;
        std::unique_ptr<collector_module> collectors;
        std::unique_ptr<xbar_module> xbar;
        std::unique_ptr<arbiter_module> arbiter;
        std::unique_ptr<read_stage_module> read_stage; // with rf.read=window, for those two
        std::vector<std::unique_ptr<bank_module>> banks;
        std::unique_ptr<operand_cache_module> cache;   // where the mechanism has one
        std::unique_ptr<l0_module> l0;                 // where it has a size
        std::unique_ptr<constant_l0_module> constants; // the same
    };

    // Of a wire's context.
    static sm_blocks &of(void *ctx)
    {
        return *static_cast<sm_blocks *>(static_cast<smrf_sm_cores *>(ctx)->modules);
    }

    unsigned sub_of(uint32_t flight) const
    {
        return flights_.record[flight].sub;
    }
    void build_subcore(unsigned sub);
    void build_collectors(unsigned sub, subcore &s);
    void build_read_stage(unsigned sub, subcore &s);
    void build_cache(unsigned sub, subcore &s);
    void build_code();
    void build_constants(unsigned sub, subcore &s);
    void connect(tlm::tlm_initiator_socket<> &from, tlm::tlm_target_socket<> &to,
                 bool exclusive = true);
    void connect_code();
    void connect_constants();
    void connect_issue();
    void connect_operands();
    void connect_read_stages();
    void connect_units();
    void connect_cache();
    void connect_loads();
    void connect_mapping();

    // Of the sub-cores, where the wires' ends find them.
    alignas(64) std::array<issue_module *, SMRF_MAX_SUBCORES> issue_{};
    std::array<collector_module *, SMRF_MAX_SUBCORES> collectors_{};
    std::array<arbiter_module *, SMRF_MAX_SUBCORES> arbiter_{};
    std::array<read_stage_module *, SMRF_MAX_SUBCORES> read_stage_{};
    const smrf_flights &flights_;
    const place place_;
    const smrf_sm_config &cfg_;
    smrf_wires &wires_;
    rf_pool pool_{"rf_pool", {8, 0}}; // a payload a kind
    window_clock clock_;
    units_module units_;
    ldst_module ldst_;
    merge_module merge_;
    std::unique_ptr<mapping_module> mapping_; // where the mechanism has one
    simt_stack_module simt_;
    std::unique_ptr<fetch_module> front_; // where an instruction cache has a size
    std::unique_ptr<icache_module> icache_;
    connections links_;
    std::vector<std::unique_ptr<subcore>> subs_;
};

} // namespace smrf

#endif
