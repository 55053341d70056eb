// SPDX-License-Identifier: Apache-2.0
// Signals of one bit for C: reset, interrupt.
#include "modules_internal.h"

#include <new>

struct smrf_signal {
    smrf_bit bit;
    smrf_signal(const char *name, bool initial) : bit(name, initial) {}
};

int smrf_signal_create(struct smrf_signal **s, const char *name, bool initial)
{
    *s = nullptr;
    try {
        *s = new smrf_signal(name, initial);
    } catch (const std::bad_alloc &) {
        return SMRF_ERR_NOMEM;
    } catch (const std::exception &) { // a name that SystemC refuses
        return SMRF_ERR_INVAL;
    }
    return SMRF_OK;
}

void smrf_signal_destroy(struct smrf_signal *s)
{
    delete s;
}

int smrf_module_bind_signal(struct smrf_module *m, const char *port, struct smrf_signal *s)
{
    for (smrf_module::bit &b : m->bits) {
        if (b.name != port) {
            continue;
        }
        if (b.bound) {
            m->error = b.name + " is bound already";
            return SMRF_ERR_STATE;
        }
        try {
            b.bind(s->bit);
        } catch (const std::exception &e) {
            m->error = e.what();
            return SMRF_ERR_STATE;
        }
        b.bound = true;
        return SMRF_OK;
    }
    m->error = std::string("no port of one bit '") + port + "'";
    return SMRF_ERR_UNKNOWN;
}

bool smrf_signal_read(const struct smrf_signal *s)
{
    return s->bit.read();
}

void smrf_signal_write(struct smrf_signal *s, bool value)
{
    s->bit.write(value);
}

bool smrf_signal_wait(struct smrf_signal *s, bool value, uint64_t ps)
{
    const sc_core::sc_time end =
        sc_core::sc_time_stamp() + sc_core::sc_time(static_cast<double>(ps), sc_core::SC_PS);
    while (s->bit.read() != value) {
        if (ps == 0) {
            sc_core::wait(s->bit.value_changed_event());
        } else if (sc_core::sc_time_stamp() < end) {
            sc_core::wait(end - sc_core::sc_time_stamp(), s->bit.value_changed_event());
        } else {
            return false;
        }
    }
    return true;
}
