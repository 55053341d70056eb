/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the device: what its parts share. */
#ifndef SMRF_DEVICE_INTERNAL_H
#define SMRF_DEVICE_INTERNAL_H

#include "firmware/launch/device.h"

#define SMRF_DEVICE_CONST_BANK 3 /* of __constant__ variables */

struct smrf_device_function {
    struct smrf_device_function *next;
    struct smrf_device_module *module;
    const struct smrf_sass_function *entry;
    struct smrf_exec_code code;
};

struct smrf_device_module {
    struct smrf_device_module *next;
    struct smrf_device *device;
    struct smrf_sass_module *sass;
    struct smrf_device_function *functions;
    /* As the host last set them; bank 3 is the device memory at const_address. */
    uint8_t *constants[SMRF_SASS_CONST_BANKS];
    smrf_dptr const_address; /* of bank 3 in global memory, 0 = it is empty */
};

struct smrf_device {
    struct smrf_memory_space *space;
    struct smrf_device_module *modules;
    const struct smrf_device_listener *listener;
    struct smrf_device_limits limits;
    bool together; /* blocks of a launch */
    struct smrf_exec_totals totals;
    struct smrf_sass_where next; /* where the next module goes */
    uint8_t fault;               /* enum smrf_exec_fault of the last launch */
    char error[SMRF_SASS_ERROR_BYTES];
};

/* Sets the text of the last error; returns code. */
int smrf_device_fail(struct smrf_device *device, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
