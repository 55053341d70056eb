// SPDX-License-Identifier: Apache-2.0
#include "modules_internal.h"

#include "models/arbiter/clocked_arbiter.h"
#include "models/bank/bank_module.h"
#include "models/rf/clocked_issue.h"
#include "models/rf/register_file.h"
#include "models/simt_stack/simt_stack_module.h"
#include "models/tlm/has_process.h"
#include "models/xbar/xbar_module.h"
#include "platform/config/config.h"
#include "platform/config/registry.h"
#include "platform/ip/gpu.h"
#include "platform/ip/sm.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>

namespace
{

int fail(smrf_module *m, int err, const std::string &text)
{
    m->error = text;
    return err;
}

int put(char *text, size_t size, int err, const char *what)
{
    if (text != nullptr && size != 0) {
        std::snprintf(text, size, "%s", what);
    }
    return err;
}

void offer(smrf_module &m, const std::string &name, tlm_target &socket)
{
    m.sockets.push_back({name, &socket, nullptr, false});
}

template <class Port> void offer_bit(smrf_module &m, const std::string &name, Port &port)
{
    m.bits.push_back({name, [&port](smrf_bit &to) { port.bind(to); }, false});
}

template <class Initiator>
void offer_initiator(smrf_module &m, const std::string &name, Initiator &socket)
{
    m.sockets.push_back({name, nullptr, [&socket](tlm_target &to) { socket.bind(to); }, false});
}

std::string numbered(const char *name, size_t i)
{
    return std::string(name) + "_" + std::to_string(i);
}

// --- options -------------------------------------------------------------------------------------

class option_list
{
  public:
    explicit option_list(const char *const *list)
    {
        for (; list != nullptr && *list != nullptr; list++) {
            const std::string pair = *list;
            const size_t at = pair.find('=');
            if (at == std::string::npos || at == 0) {
                throw std::invalid_argument("'" + pair + "' is not key=value");
            }
            if (pair.find('.') < at && pair.rfind("memory.merged=", 0) != 0) {
                keys.push_back(pair);
            } else {
                own_.emplace(pair.substr(0, at), pair.substr(at + 1));
            }
        }
    }
    std::string text(const char *key)
    {
        const auto it = own_.find(key);
        if (it == own_.end()) {
            return "";
        }
        const std::string value = it->second;
        own_.erase(it); // the first of several
        return value;
    }
    uint32_t number(const char *key, uint32_t otherwise)
    {
        const std::string value = text(key);
        char *end = nullptr;
        const unsigned long n = std::strtoul(value.c_str(), &end, 0);
        if (!value.empty() && (*end != '\0' || n > UINT32_MAX)) {
            throw std::invalid_argument(std::string(key) + "=" + value + ": not a number");
        }
        return value.empty() ? otherwise : static_cast<uint32_t>(n);
    }
    // Whatever has not been asked for is a mistake.
    void check(bool takes_keys) const
    {
        if (!own_.empty()) {
            throw std::invalid_argument("no option is called '" + own_.begin()->first + "'");
        }
        if (!takes_keys && !keys.empty()) {
            throw std::invalid_argument("this kind has no configuration: " + keys.front());
        }
    }

    std::vector<std::string> keys; // of the configuration: "section.key=value"

  private:
    std::multimap<std::string, std::string> own_;
};

smrf::machine_options machine(option_list &o)
{
    return {o.text("preset"), o.text("mechanism"), o.keys};
}

// --- kinds ---------------------------------------------------------------------------------------

void make_gpu(smrf_module &m, const char *name, option_list &o)
{
    smrf::gpu_options g;
    static_cast<smrf::machine_options &>(g) = machine(o);
    const std::string mode = o.text("mode");
    if (!mode.empty() && mode != "replay" && mode != "execute") {
        throw std::invalid_argument("mode=" + mode + ": replay or execute");
    }
    g.mode = mode == "execute" ? smrf::gpu_mode::execute : smrf::gpu_mode::replay;
    g.own_memory = o.number("own_memory", 1) != 0;
    g.merged_memory = o.number("memory.merged", 0) != 0;
    for (std::string p = o.text("program"); !p.empty(); p = o.text("program")) {
        g.programs.push_back(p);
    }
    o.check(true);
    auto gpu = std::make_unique<smrf::gpu>(name, g);
    smrf::gpu *self = gpu.get();
    offer(m, "control", self->control);
    offer_bit(m, "reset", self->reset);
    offer_bit(m, "interrupt", self->interrupt);
    offer_initiator(m, "dma", self->dma);
    for (size_t i = 0; i < self->memory.size(); i++) {
        offer_initiator(m, numbered("memory", i), self->memory[i]);
    }
    m.reset = [self] { self->restart(); };
    m.trace = [self](const char *path) { return static_cast<int>(self->add_program(path)); };
    m.platform = self->platform();
    m.module = std::move(gpu);
}

void make_sm(smrf_module &m, const char *name, option_list &o)
{
    const smrf::machine_options options = machine(o);
    o.check(true);
    auto sm = std::make_unique<smrf::sm>(name, options);
    smrf::sm *self = sm.get();
    offer_initiator(m, "memory", self->memory);
    offer_bit(m, "reset", self->reset);
    m.reset = [self] { self->restart(); };
    m.trace = [self](const char *path) {
        self->start(std::string(path));
        return SMRF_OK;
    };
    m.source = [self](const std::function<int(smrf_trace_writer *)> &source) {
        return self->start(source);
    };
    m.platform = self->platform();
    m.module = std::move(sm);
}

// A configuration of one sub-core, with the mechanism's defaults.
const smrf_mechanism *configure(smrf_config &cfg, const smrf::machine_options &o)
{
    const std::string name = o.mechanism.empty() ? "baseline" : o.mechanism;
    const smrf_mechanism *mechanism = smrf_mechanism_find(name.c_str());
    smrf_config_error err{};
    std::vector<const char *> pairs;
    for (size_t i = 0;
         mechanism != nullptr && mechanism->defaults != nullptr && mechanism->defaults[i]; i++) {
        pairs.push_back(mechanism->defaults[i]);
    }
    for (const std::string &key : o.set) {
        pairs.push_back(key.c_str());
    }
    if (mechanism == nullptr) {
        throw std::invalid_argument("no mechanism is called '" + name + "'");
    }
    const char *preset = o.preset.empty() ? SMRF_DEFAULT_PRESET : o.preset.c_str();
    if (smrf_preset_apply(&cfg, preset, &err) != SMRF_OK ||
        smrf_config_set_pairs(&cfg, pairs.data(), pairs.size(), "options", &err) != SMRF_OK) {
        throw std::invalid_argument(err.text);
    }
    cfg.sm.subcores = 1;
    return mechanism;
}

void collectors_of(smrf_module &m, option_list &o, smrf::collector_setup &s)
{
    s.mechanism = configure(m.cfg, machine(o));
    s.warps = o.number("warps", 8);
    s.registers_per_warp = o.number("registers_per_warp", 32);
    s.period = sc_core::sc_time(o.number("period_ps", 1000), sc_core::SC_PS);
    m.cfg.rf.swizzle = 0;
    m.cfg.sm.warps = s.warps;
    s.rf = m.cfg.rf;
    s.sm = m.cfg.sm;
    s.mechanism_setup = smrf_mechanism_setup_of(&m.cfg, s.mechanism);
}

void make_collectors(smrf_module &m, const char *name, option_list &o)
{
    smrf::collector_setup s{};
    collectors_of(m, o, s);
    o.check(true);
    auto collectors = std::make_unique<smrf::clocked_collectors>(name, s);
    smrf::clocked_collectors *self = collectors.get();
    offer(m, "issue", self->stage.issue.socket);
    offer(m, "grant_in", self->grant_in());
    offer(m, "result_in", self->result_in.socket);
    offer_initiator(m, "operands", self->stage.operands.socket);
    for (uint32_t c = 0; c < s.rf.collectors; c++) {
        offer_initiator(m, numbered("request_out", c), self->request_out(c));
        offer_initiator(m, numbered("read_out", c), self->stage.read_out(c));
    }
    m.reset = [self] { self->reset(); };
    m.module = std::move(collectors);
}

void make_register_file(smrf_module &m, const char *name, option_list &o)
{
    smrf::register_file::setup s{};
    collectors_of(m, o, s);
    s.ports = o.number("ports", 1);
    s.plain_reads = o.number("plain_reads", 8);
    s.loosely_timed = o.number("loosely_timed", 0) != 0;
    o.check(true);
    auto rf = std::make_unique<smrf::register_file>(name, s);
    smrf::register_file *self = rf.get();
    offer(m, "issue", self->issue());
    offer_initiator(m, "operands", self->operands());
    for (uint32_t p = 0; p < s.ports; p++) {
        offer(m, numbered("registers", p), self->registers(p));
    }
    offer(m, "status", self->status());
    m.reset = [self] { self->reset(); };
    m.module = std::move(rf);
}

void make_bank(smrf_module &m, const char *name, option_list &o)
{
    const uint32_t rows = o.number("rows", 256);
    const sc_core::sc_time access(o.number("access_ps", 0), sc_core::SC_PS);
    o.check(false);
    auto bank = std::make_unique<smrf::bank_module>(name, rows, access);
    smrf::bank_module *self = bank.get();
    offer(m, "read_in", self->read_in[0]);
    offer(m, "write_in", self->write_in[0]);
    m.reset = [self] { self->reset(); };
    m.module = std::move(bank);
}

void make_crossbar(smrf_module &m, const char *name, option_list &o)
{
    const uint32_t inputs = o.number("inputs", 1), banks = o.number("banks", 2);
    const uint32_t rows = o.number("rows", 256);
    o.check(false);
    if (inputs == 0 || inputs > smrf::max_ports || banks == 0 || banks > SMRF_MAX_BANKS) {
        throw std::invalid_argument("a crossbar has 1 to 16 inputs and banks");
    }
    auto xbar = std::make_unique<smrf::xbar_module>(name, inputs, banks, rows);
    smrf::xbar_module *self = xbar.get();
    for (uint32_t i = 0; i < inputs; i++) {
        offer(m, numbered("read_in", i), self->read_in[i]);
    }
    for (uint32_t b = 0; b < banks; b++) {
        offer_initiator(m, numbered("bank_out", b), self->bank_out[b]);
    }
    m.reset = [self] { self->reset(); };
    m.module = std::move(xbar);
}

void make_arbiter(smrf_module &m, const char *name, option_list &o)
{
    const smrf_arbiter_config cfg = {o.number("banks", 2),
                                     o.number("collectors", 1),
                                     o.number("ports", 0),
                                     o.number("depth", 64),
                                     false,
                                     1};
    const sc_core::sc_time period(o.number("period_ps", 1000), sc_core::SC_PS);
    o.check(false);
    if (cfg.banks == 0 || cfg.banks > SMRF_MAX_BANKS || cfg.collectors == 0 ||
        cfg.collectors > SMRF_MAX_COLLECTORS || cfg.operands > SMRF_ARBITER_DEPTH) {
        throw std::invalid_argument(
            "an arbiter has 1 to 16 banks and collectors, depth up to 1024");
    }
    auto arbiter = std::make_unique<smrf::clocked_arbiter>(name, cfg, period);
    smrf::clocked_arbiter *self = arbiter.get();
    for (uint32_t c = 0; c < cfg.collectors; c++) {
        offer(m, numbered("request_in", c), self->request_in(c));
    }
    offer_initiator(m, "grant_out", self->grant_out());
    m.reset = [self] { self->reset(); };
    m.module = std::move(arbiter);
}

void make_issue(smrf_module &m, const char *name, option_list &o)
{
    smrf::clocked_issue::setup s{};
    (void)configure(m.cfg, machine(o));
    s.warps = o.number("warps", 8);
    s.registers_per_warp = o.number("registers_per_warp", 32);
    s.depth = o.number("depth", 2);
    s.period = sc_core::sc_time(o.number("period_ps", 1000), sc_core::SC_PS);
    s.issue = {m.cfg.issue, m.cfg.scoreboard, m.cfg.sm, m.cfg.rf, 0, m.cfg.exec};
    o.check(true);
    auto issue = std::make_unique<smrf::clocked_issue>(name, s);
    smrf::clocked_issue *self = issue.get();
    offer(m, "instr_in", self->instr_in.socket);
    offer(m, "result_in", self->result_in.socket);
    offer_initiator(m, "instr_out", self->instr_out.socket);
    m.reset = [self] { self->reset(); };
    m.module = std::move(issue);
}

void make_simt_stack(smrf_module &m, const char *name, option_list &o)
{
    static const smrf_simt_config rules = {75, true};
    const uint32_t sockets = o.number("sockets", 1);
    o.check(false);
    if (sockets == 0 || sockets > smrf::max_ports) {
        throw std::invalid_argument("a SIMT stack has 1 to 16 sockets");
    }
    auto stack = std::make_unique<smrf::simt_stack_module>(name, sockets);
    smrf::simt_stack_module *self = stack.get();
    if (self->begin_kernel(rules, 0) != SMRF_OK) {
        throw std::invalid_argument("the SIMT stacks cannot be built");
    }
    for (uint32_t warp = 0; warp < SMRF_MAX_WARPS; warp++) {
        smrf_simt_start(self->stacks(), warp, 0);
    }
    for (uint32_t i = 0; i < sockets; i++) {
        offer(m, numbered("line_in", i), self->line_in[i]);
    }
    m.reset = [self] { self->reset(); };
    m.module = std::move(stack);
}

struct kind {
    const char *name, *options;
    void (*make)(smrf_module &m, const char *name, option_list &o);
};

const kind kinds[] = {
    {"gpu", "preset, mechanism, modules, program, mode, own_memory, memory.merged, any parameter",
     make_gpu},
    {"sm", "preset, mechanism, modules, any parameter", make_sm},
    {"register_file",
     "preset, mechanism, warps, registers_per_warp, ports, plain_reads, loosely_timed, period_ps, "
     "any "
     "parameter",
     make_register_file},
    {"collectors",
     "preset, mechanism (its kind: baseline, malekeh-long, ..), warps, registers_per_warp, "
     "period_ps, any "
     "parameter",
     make_collectors},
    {"bank", "rows, access_ps", make_bank},
    {"crossbar", "inputs, banks, rows", make_crossbar},
    {"arbiter", "banks, collectors, ports, depth, period_ps", make_arbiter},
    {"issue", "preset, warps, registers_per_warp, depth, period_ps, any parameter", make_issue},
    {"simt_stack", "sockets", make_simt_stack},
};

// Calls `build`, which fills in the module.
template <class Build> int create(smrf_module **m, Build build)
{
    *m = new (std::nothrow) smrf_module;
    if (*m == nullptr) {
        return SMRF_ERR_NOMEM;
    }
    try {
        if (sc_core::sc_get_status() != sc_core::SC_ELABORATION) {
            return fail(*m, SMRF_ERR_STATE, "the simulation has begun: create modules before");
        }
        return build(**m);
    } catch (const std::bad_alloc &) {
        return fail(*m, SMRF_ERR_NOMEM, "out of memory");
    } catch (const std::exception &e) {
        return fail(*m, SMRF_ERR_INVAL, e.what());
    }
}

// --- modules whose insides are C -----------------------------------------------------------------

class c_process : public sc_core::sc_module
{
  public:
    SMRF_HAS_PROCESS(c_process);
    c_process(const sc_core::sc_module_name &name, unsigned sockets,
              void (*body)(void *, smrf_module *), void *ctx, smrf_module *self)
        : sc_module(name), out("out", *this, sockets), body_(body), ctx_(ctx), self_(self),
          pool_(std::string(this->name()) + ".pool")
    {
        SC_THREAD(run);
        set_stack_size(256 * 1024);
    }

    smrf::initiator_ports<c_process> out;

    bool access(unsigned socket, smrf_access &a)
    {
        auto *gp = pool_.allocate();
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        fill(*gp, a);
        under_way_ = gp;
        over_ = false;
        tlm::tlm_sync_enum status = out.forward(socket, *gp, phase, delay);
        if (status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP) {
            phase = tlm::END_RESP;
            out.forward(socket, *gp, phase, delay);
            status = tlm::TLM_COMPLETED;
        }
        if (status == tlm::TLM_COMPLETED) {
            wait(delay);
        } else {
            while (!over_) {
                wait(answered_);
            }
        }
        const bool good = gp->is_response_ok();
        under_way_ = nullptr;
        gp->release();
        return good;
    }
    unsigned debug(unsigned socket, smrf_access &a)
    {
        tlm::tlm_generic_payload gp;
        fill(gp, a);
        return out.debug(socket, gp);
    }
    tlm::tlm_sync_enum bw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                          sc_core::sc_time &delay)
    {
        if (phase != tlm::BEGIN_RESP || &gp != under_way_) {
            return tlm::TLM_ACCEPTED;
        }
        over_ = true;
        answered_.notify(delay);
        phase = tlm::END_RESP;
        return tlm::TLM_COMPLETED;
    }

  private:
    static void fill(tlm::tlm_generic_payload &gp, smrf_access &a)
    {
        gp.set_command(a.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
        gp.set_address(a.address);
        gp.set_data_ptr(static_cast<unsigned char *>(a.data));
        gp.set_data_length(a.bytes);
        gp.set_streaming_width(a.bytes);
        gp.set_byte_enable_ptr(const_cast<unsigned char *>(a.enables));
        gp.set_byte_enable_length(a.enables != nullptr ? a.num_enables : 0);
    }
    void run()
    {
        body_(ctx_, self_);
    }

    void (*body_)(void *, smrf_module *);
    void *ctx_;
    smrf_module *self_;
    smrf::payload_pool<smrf::rf_extension> pool_;
    tlm::tlm_generic_payload *under_way_ = nullptr;
    bool over_ = false;
    sc_core::sc_event answered_{"answered"};
};

using access_call = int (*)(void *, unsigned, smrf_access *, uint64_t *);

class c_target : public sc_core::sc_module
{
  public:
    c_target(const sc_core::sc_module_name &name, unsigned sockets, access_call call, void *ctx)
        : sc_module(name), in("in"), call_(call), ctx_(ctx)
    {
        in.init(sockets);
        for (unsigned i = 0; i < sockets; i++) {
            in[i].register_nb_transport_fw(this, &c_target::fw, static_cast<int>(i));
            in[i].register_b_transport(this, &c_target::b, static_cast<int>(i));
            in[i].register_transport_dbg(this, &c_target::debug, static_cast<int>(i));
        }
    }

    sc_core::sc_vector<tlm_utils::simple_target_socket_tagged<c_target>> in;
    int (*look)(void *, unsigned, smrf_access *) = nullptr; // debug accesses; nullptr: none

  private:
    static smrf_access access_of(const tlm::tlm_generic_payload &gp)
    {
        return {gp.get_address(), gp.get_data_ptr(),        gp.get_data_length(),
                gp.is_write(),    gp.get_byte_enable_ptr(), gp.get_byte_enable_length()};
    }
    unsigned debug(int socket, tlm::tlm_generic_payload &gp)
    {
        smrf_access a = access_of(gp);
        const int done = look != nullptr ? look(ctx_, static_cast<unsigned>(socket), &a) : 0;
        return done < 0 ? 0 : std::min(static_cast<unsigned>(done), gp.get_data_length());
    }
    void b(int socket, tlm::tlm_generic_payload &gp, sc_core::sc_time &delay)
    {
        smrf_access a = access_of(gp);
        uint64_t ps = 0;
        const int err = call_(ctx_, static_cast<unsigned>(socket), &a, &ps);
        delay += sc_core::sc_time(static_cast<double>(ps), sc_core::SC_PS);
        gp.set_response_status(err < 0 ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
    }
    tlm::tlm_sync_enum fw(int socket, tlm::tlm_generic_payload &gp, tlm::tlm_phase &,
                          sc_core::sc_time &delay)
    {
        b(socket, gp, delay);
        return tlm::TLM_COMPLETED;
    }

    access_call call_;
    void *ctx_;
};

smrf_module::socket *find(smrf_module *m, const char *name)
{
    for (smrf_module::socket &s : m->sockets) {
        if (s.name == name) {
            return &s;
        }
    }
    return nullptr;
}

} // namespace

// --- the calls ---------------------------------------------------------------------------------

const char *smrf_module_kind(size_t index, const char **options)
{
    if (index >= sizeof kinds / sizeof *kinds) {
        return nullptr;
    }
    if (options != nullptr) {
        *options = kinds[index].options;
    }
    return kinds[index].name;
}

int smrf_module_create(struct smrf_module **m, const char *kind, const char *name,
                       const char *const *list)
{
    return create(m, [&](smrf_module &made) {
        for (const auto &k : kinds) {
            if (std::strcmp(k.name, kind) == 0) {
                option_list o(list);
                k.make(made, name, o);
                return int{SMRF_OK};
            }
        }
        return fail(&made, SMRF_ERR_UNKNOWN, std::string("no kind is called '") + kind + "'");
    });
}

int smrf_module_process(struct smrf_module **m, const char *name, unsigned sockets,
                        void (*body)(void *ctx, struct smrf_module *self), void *ctx)
{
    return create(m, [&](smrf_module &made) {
        if (sockets > smrf::max_ports) {
            throw std::invalid_argument("a process has up to 16 sockets");
        }
        auto process = std::make_unique<c_process>(name, sockets, body, ctx, &made);
        for (unsigned i = 0; i < sockets; i++) {
            offer_initiator(made, numbered("out", i), process->out[i]);
        }
        made.module = std::move(process);
        return int{SMRF_OK};
    });
}

int smrf_module_target(struct smrf_module **m, const char *name, unsigned sockets,
                       int (*access)(void *, unsigned, struct smrf_access *, uint64_t *), void *ctx)
{
    return create(m, [&](smrf_module &made) {
        auto target = std::make_unique<c_target>(name, sockets, access, ctx);
        for (unsigned i = 0; i < sockets; i++) {
            offer(made, numbered("in", i), target->in[i]);
        }
        made.module = std::move(target);
        return int{SMRF_OK};
    });
}

int smrf_module_target_debug(struct smrf_module *m,
                             int (*look)(void *, unsigned, struct smrf_access *))
{
    auto *target = dynamic_cast<c_target *>(m->module.get());
    if (target == nullptr) {
        return fail(m, SMRF_ERR_STATE, "it is no target of smrf_module_target");
    }
    target->look = look;
    return SMRF_OK;
}

const char *smrf_module_launch_error(const struct smrf_module *m)
{
    const auto *gpu = dynamic_cast<const smrf::gpu *>(m->module.get());
    return gpu != nullptr ? gpu->error_text().c_str() : nullptr;
}

void smrf_module_destroy(struct smrf_module *m)
{
    delete m;
}

const char *smrf_module_error(const struct smrf_module *m)
{
    return m != nullptr ? m->error.c_str() : "out of memory";
}

int smrf_module_socket(const struct smrf_module *m, size_t index, struct smrf_socket_info *info)
{
    if (index >= m->sockets.size()) {
        return SMRF_ERR_UNKNOWN;
    }
    const smrf_module::socket &s = m->sockets[index];
    *info = {s.name.c_str(), s.target == nullptr, s.bound};
    return SMRF_OK;
}

int smrf_module_bind(struct smrf_module *from, const char *initiator, struct smrf_module *to,
                     const char *target)
{
    smrf_module::socket *a = find(from, initiator), *b = find(to, target);
    if (a == nullptr || !a->bind) {
        return fail(from, SMRF_ERR_UNKNOWN, std::string("no initiator socket '") + initiator + "'");
    }
    if (b == nullptr || b->target == nullptr) {
        return fail(from, SMRF_ERR_UNKNOWN, std::string("no target socket '") + target + "'");
    }
    if (a->bound || b->bound) {
        return fail(from, SMRF_ERR_STATE, (a->bound ? a->name : b->name) + " is bound already");
    }
    try {
        a->bind(*b->target);
    } catch (const std::exception &e) {
        return fail(from, SMRF_ERR_STATE, e.what());
    }
    a->bound = b->bound = true;
    return SMRF_OK;
}

int smrf_module_reset(struct smrf_module *m)
{
    if (!m->reset) {
        return fail(m, SMRF_ERR_STATE, "this kind has no reset of its own");
    }
    try {
        m->reset();
    } catch (const std::exception &e) {
        return fail(m, SMRF_ERR_STATE, e.what());
    }
    return SMRF_OK;
}

struct smrf_platform *smrf_module_platform(struct smrf_module *m)
{
    return m->platform;
}

int smrf_module_trace(struct smrf_module *m, const char *path)
{
    return m->trace ? m->trace(path) : fail(m, SMRF_ERR_STATE, "this kind takes no traces");
}

int smrf_module_source(struct smrf_module *m, int (*source)(void *, struct smrf_trace_writer *),
                       void *ctx)
{
    if (!m->source) {
        return fail(m, SMRF_ERR_STATE, "this kind takes no instructions");
    }
    try {
        const int err = m->source([=](smrf_trace_writer *w) { return source(ctx, w); });
        return err < 0 ? fail(m, err, "the source's instructions cannot be written") : SMRF_OK;
    } catch (const std::exception &e) {
        return fail(m, SMRF_ERR_NOMEM, e.what());
    }
}

int smrf_transfer(struct smrf_module *self, unsigned socket, struct smrf_access *a)
{
    auto *process = dynamic_cast<c_process *>(self->module.get());
    if (process == nullptr || socket >= process->out.size()) {
        return fail(self, SMRF_ERR_INVAL, "no process, or no such socket");
    }
    return process->access(socket, *a)
               ? SMRF_OK
               : fail(self, SMRF_ERR_PROTOCOL, "the access was answered with an error");
}

int smrf_transfer_debug(struct smrf_module *self, unsigned socket, struct smrf_access *a)
{
    auto *process = dynamic_cast<c_process *>(self->module.get());
    if (process == nullptr || socket >= process->out.size()) {
        return fail(self, SMRF_ERR_INVAL, "no process, or no such socket");
    }
    return static_cast<int>(process->debug(socket, *a));
}

void smrf_wait(uint64_t ps)
{
    sc_core::wait(sc_core::sc_time(static_cast<double>(ps), sc_core::SC_PS));
}

int smrf_simulation_elaborate(char *text, size_t size)
{
    try {
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        return SMRF_OK;
    } catch (const std::exception &e) {
        return put(text, size, SMRF_ERR_STATE, e.what());
    }
}

int smrf_simulation_run(uint64_t ps, char *text, size_t size)
{
    try {
        if (ps == 0) {
            sc_core::sc_start();
        } else {
            sc_core::sc_start(sc_core::sc_time(static_cast<double>(ps), sc_core::SC_PS));
        }
        return SMRF_OK;
    } catch (const std::exception &e) {
        return put(text, size, SMRF_ERR_CHECK, e.what());
    }
}

uint64_t smrf_simulation_time(void)
{
    return static_cast<uint64_t>(sc_core::sc_time_stamp().to_seconds() * 1e12 + 0.5);
}
