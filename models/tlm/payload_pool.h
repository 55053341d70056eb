// SPDX-License-Identifier: Apache-2.0
// Where every transaction object of the model comes from: a memory manager whose payloads carry
// their extension, 128 bytes of data and 128 byte enables with them, so that nothing is allocated
// per transaction.
//
// Not thread safe: one pool for each SM. A pool must outlive its payloads.
#ifndef SMRF_TLM_PAYLOAD_POOL_H
#define SMRF_TLM_PAYLOAD_POOL_H

#include "models/common/smrf_assert.h"
#include "models/tlm/port_kinds.h"
#include "models/tlm/rf_extension.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <typeinfo>
#include <vector>

namespace smrf
{

struct payload_pool_options {
    uint32_t chunk = 64;   // payloads created at a time, at least 1
    uint32_t capacity = 0; // most payloads that may be in use; 0 = no limit
};

struct pooled_bytes {
    alignas(32) uint8_t data[SMRF_WARP_REG_BYTES] = {};
    alignas(32) uint8_t enables[SMRF_WARP_REG_BYTES] = {};
};

// The part of a pooled payload that does not depend on its extension.
class pooled_payload_base : public tlm::tlm_generic_payload
{
  public:
    // The register's or sector's bytes: where get_data_ptr() points after allocate().
    uint8_t *data()
    {
        return bytes_->data;
    }

    // Sets the byte enables of a 128-byte register access from a lane mask (4 bytes a lane). All
    // lanes: no byte enables, which means the same and costs nothing.
    void enable_lanes(uint32_t lanes);
    // The lanes, if the byte enables are those of enable_lanes() or none.
    bool lane_enables(uint32_t &lanes) const
    {
        if (get_byte_enable_ptr() == nullptr || get_byte_enable_length() == 0) {
            lanes = UINT32_MAX;
            return true;
        }
        lanes = lanes_;
        return get_byte_enable_ptr() == bytes_->enables && by_lanes_;
    }
    // Sets the byte enables of an access of `bytes` from a mask of one bit a byte, of the 32 bytes
    // from `first` on; the others are off.
    void enable_bytes(uint32_t mask, uint32_t bytes, uint32_t first = 0);

    // A word for the present owner of the transaction (initiator); 0 after allocate().
    uint32_t owner_state = 0;

  protected:
    pooled_payload_base(tlm::tlm_mm_interface *mm, pooled_bytes *bytes)
        : tlm::tlm_generic_payload(mm), bytes_(bytes)
    {
    }
    void reset_attributes();

    bool resident_ = false; // kept by its owner (payload_pool::reserve)

  private:
    pooled_bytes *const bytes_;   // apart, so that what every transaction touches lies together
    uint32_t lanes_ = UINT32_MAX; // what the enables say, where by_lanes_
    bool by_lanes_ = false;
};

// Asks for a pooled payload that is used soon: of thousands under way, each has left the caches
// when its answer comes. The line between these two holds the byte enables and the list of
// extensions, which payloads at home do not touch.
inline void prefetch(const tlm::tlm_generic_payload &payload)
{
    const char *p = reinterpret_cast<const char *>(&payload);
    __builtin_prefetch(p, 1);
    __builtin_prefetch(p + 128, 1);
}

// Do the byte enables of an access of a whole register leave every lane whole? If so, *lanes.
bool whole_lanes(const tlm::tlm_generic_payload &payload, uint32_t &lanes);

// Reports "/smrf/tlm/leak": `in_use` payloads of the pool `name` never came back.
[[gnu::cold]] void report_leak(const char *name, uint64_t in_use);

// Foreign payloads leave the project's own modules, so all their attributes are reset on the way in
// and out. Payloads that never leave an SM skip this: their allocator sets command, address, data
// and lengths.
template <class Extension, bool Foreign = true>
class payload_pool final : public tlm::tlm_mm_interface
{
  public:
    struct cell;
    class payload final : public pooled_payload_base
    {
      public:
        // Part of the payload: a foreign reset or destructor must not delete it.
        struct embedded final : Extension {
            explicit embedded(payload *home) : self(home)
            {
                this->home_ = home;
            }
            void free() override {}
            payload *const self;
        };
        embedded extension{this};

        payload(payload_pool *pool, cell &place)
            : pooled_payload_base(pool, &place.bytes), pool_(pool), cell_(place)
        {
            this->set_extension(static_cast<Extension *>(&extension));
        }
        // The base class frees what is attached to it, after this class's members are gone.
        ~payload() override
        {
            this->template clear_extension<Extension>();
        }

        payload_pool &pool() const
        {
            return *pool_;
        }

      private:
        friend class payload_pool;
        payload_pool *pool_;
        cell &cell_;
    };
    // A payload with its bytes. The fields that every transaction sets share a cache line with the
    // number of transactions that its ports have sent.
    struct alignas(64) cell {
        uint64_t transactions = 0;
        payload content;
        pooled_bytes bytes;

        cell(payload_pool *pool) : content(pool, *this) {}
    };

    explicit payload_pool(std::string name = "pool", const payload_pool_options &options = {})
        : name_(std::move(name)), options_(options)
    {
    }
    payload_pool(const payload_pool &) = delete;
    payload_pool &operator=(const payload_pool &) = delete;

    // A payload with reference count 1 (the caller's, given back with release()), response status
    // INCOMPLETE, data pointer at its own bytes, length 0, no byte enables, extension fields at
    // their defaults. nullptr if capacity payloads are in use.
    payload *allocate()
    {
        if (free_.empty() && !grow()) {
            return nullptr;
        }
        payload *p = free_.back();
        free_.pop_back();
        if (!free_.empty()) {
            prefetch(*free_.back()); // the next transaction's
        }
        if (++in_use_ > peak_) {
            peak_ = in_use_;
        }
        if (home_bytes_ != 0) {
            p->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        } else if (Foreign) {
            p->reset_attributes();
            p->extension.fields = {};
            if (p->template get_extension<Extension>() != &p->extension) {
                p->set_extension(static_cast<Extension *>(&p->extension));
            }
        } else {
            p->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
            p->extension.fields = {};
            p->set_byte_enable_ptr(nullptr);
            p->set_byte_enable_length(0);
        }
        p->acquire();
        return p;
    }

    // A payload that its owner keeps and uses again for one transaction after the other. Counted
    // apart from those in use; release() gives it back.
    payload *reserve()
    {
        payload *p = allocate();
        if (p != nullptr) {
            p->resident_ = true;
            in_use_--;
            resident_++;
        }
        return p;
    }

    // One payload for all ports of a kind (enum smrf_port_kind), with the count of its
    // transactions: reserved for the first port, given back after the last.
    cell &share(smrf_port_kind kind)
    {
        shared_payload &s = shared_[kind];
        if (s.ports++ == 0) {
            s.common = &reserve()->cell_;
            s.common->transactions = 0;
        }
        return *s.common;
    }
    void unshare(const cell &common)
    {
        for (shared_payload &s : shared_) {
            if (s.common == &common && s.ports != 0 && --s.ports == 0) {
                s.common->content.release();
            }
        }
    }
    // Transactions that ports of a kind have sent, while there are any.
    uint64_t transactions(unsigned kind) const
    {
        const shared_payload &s = shared_[kind];
        return s.ports != 0 ? s.common->transactions : 0;
    }
    void reset_transactions()
    {
        for (const shared_payload &s : shared_) {
            if (s.ports != 0) {
                s.common->transactions = 0;
            }
        }
    }

    // Called by the last release(). Removes extensions that others attached for the transaction's
    // life. allocate() resets the attributes later, because callers further up the stack may still
    // read them.
    void free(tlm::tlm_generic_payload *gp) override
    {
        auto *p = static_cast<payload *>(gp);
        if (Foreign && home_bytes_ == 0) {
            p->reset();
        }
        free_.push_back(p); // grow() has made room
        if (p->resident_) {
            p->resident_ = false;
            resident_--;
        } else {
            in_use_--;
        }
    }

    // The payloads, created from now on, do not leave the project's own modules: ignored commands
    // of `bytes`. allocate() clears their response status and nothing else; the owner sets
    // the address and the fields of the extension each time.
    void set_at_home(unsigned bytes)
    {
        SMRF_ASSERT(created_ == 0 && bytes != 0);
        home_bytes_ = bytes;
    }

    // The pooled payload behind a reference that came back from outside; nullptr if it is not one
    // of this pool's.
    payload *find(tlm::tlm_generic_payload &gp) const
    {
        Extension *extension = gp.template get_extension<Extension>();
        if (extension == nullptr || extension->home() != &gp) {
            return nullptr;
        }
        payload *p = static_cast<typename payload::embedded *>(extension)->self;
        return p->pool_ == this ? p : nullptr;
    }

    // Payloads that others hold: allocated ones, and those of ports between transactions.
    uint64_t in_use() const
    {
        uint64_t held = in_use_;
        for (const shared_payload &s : shared_) {
            held += s.ports != 0 && s.common->content.get_ref_count() != 1;
        }
        return held;
    }
    uint64_t resident() const
    {
        return resident_;
    }
    uint64_t peak() const
    {
        return peak_;
    }
    uint64_t created() const
    {
        return created_;
    }
    const std::string &name() const
    {
        return name_;
    }

    // True if every payload came back; otherwise reports the leak and returns false.
    bool check_empty() const
    {
        const uint64_t held = in_use();
        if (held != 0) {
            report_leak(name_.c_str(), held);
        }
        return held == 0;
    }

  private:
    struct shared_payload {
        cell *common = nullptr;
        unsigned ports = 0;
    };

    [[gnu::noinline]] bool grow()
    {
        uint64_t count = options_.chunk ? options_.chunk : 1;
        if (options_.capacity != 0 && created_ + count > options_.capacity) {
            count = options_.capacity - created_;
        }
        free_.reserve(created_ + count);
        chunks_.emplace_back();
        for (uint64_t i = 0; i < count; i++) {
            chunks_.back().push_back(std::make_unique<cell>(this));
            payload *p = &chunks_.back().back()->content;
            p->set_data_length(home_bytes_);
            p->set_streaming_width(home_bytes_);
            free_.push_back(p);
        }
        created_ += count;
        return count != 0;
    }

    std::string name_;
    payload_pool_options options_;
    std::vector<payload *> free_; // the last that came back goes first
    unsigned home_bytes_ = 0;     // length of each, once set_at_home()
    uint64_t in_use_ = 0, resident_ = 0, peak_ = 0, created_ = 0;
    std::vector<std::vector<std::unique_ptr<cell>>> chunks_;
    std::array<shared_payload, SMRF_PORT_KINDS> shared_;
};

using rf_pool = payload_pool<rf_extension, false>;
using mem_pool = payload_pool<mem_extension>;
using rf_payload = rf_pool::payload;
using mem_payload = mem_pool::payload;

// The payload of a port inside an SM, whose transactions are over when the call that begins them
// returns: one object for all of them, and for the ports of its kind. What stays the same (length,
// extension, command where the transactions have no values) is set once; a transaction sets
// address, data and response status.
class port_payload
{
  public:
    port_payload(rf_pool &pool, smrf_port_kind kind, tlm::tlm_command command, unsigned bytes)
        : cell_(pool.share(kind))
    {
        payload().set_command(command);
        payload().set_byte_enable_ptr(nullptr);
        payload().set_byte_enable_length(0);
        set_length(bytes);
    }
    port_payload(const port_payload &) = delete;
    ~port_payload()
    {
        payload().pool().unshare(cell_);
    }

    void set_length(unsigned bytes)
    {
        payload().set_data_length(bytes);
        payload().set_streaming_width(bytes);
    }
    // For the next transaction; a target must not hold the last one.
    rf_payload &begin(uint64_t address, const void *data)
    {
        rf_payload &gp = payload();
        gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        gp.set_address(address);
        // Data of writes is only read; TLM has no const pointer for it.
        gp.set_data_ptr(static_cast<unsigned char *>(const_cast<void *>(data)));
        return gp;
    }
    // The same for a warp register, with a cleared extension and all lanes. Without values an
    // access is an ignored command: it takes its time and its ports, and moves nothing.
    rf_payload &begin_read(uint64_t address, void *data, bool values)
    {
        return begin_register(tlm::TLM_READ_COMMAND, address, data, values);
    }
    rf_payload &begin_write(uint64_t address, const void *data, bool values)
    {
        return begin_register(tlm::TLM_WRITE_COMMAND, address, data, values);
    }
    // Transactions from now on are ignored commands; their extension is not read.
    void set_ignored()
    {
        payload().set_command(tlm::TLM_IGNORE_COMMAND);
    }
    rf_payload &payload()
    {
        return cell_.content;
    }
    void count()
    {
        cell_.transactions++;
    }

  private:
    rf_payload &begin_register(tlm::tlm_command command, uint64_t address, const void *data,
                               bool values)
    {
        rf_payload &gp = payload();
        gp.extension.fields = {};
        gp.set_byte_enable_ptr(nullptr);
        gp.set_command(values ? command : tlm::TLM_IGNORE_COMMAND);
        return begin(address, data);
    }

    rf_pool::cell &cell_;
};

// Register fields of a payload; nullptr if it has none. An SM's own payloads are recognised by
// their type, which costs no library call.
inline rf_fields *register_fields(tlm::tlm_generic_payload &gp)
{
    if (typeid(gp) == typeid(rf_payload)) {
        return &static_cast<rf_payload &>(gp).extension.fields;
    }
    auto *extension = gp.get_extension<rf_extension>();
    return extension ? &extension->fields : nullptr;
}

// The same of a sector access.
inline const mem_fields *sector_fields(const tlm::tlm_generic_payload &gp)
{
    if (typeid(gp) == typeid(mem_payload)) {
        return &static_cast<const mem_payload &>(gp).extension.fields;
    }
    const auto *extension = gp.get_extension<mem_extension>();
    return extension ? &extension->fields : nullptr;
}

} // namespace smrf

#endif
