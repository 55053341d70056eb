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

/* The handle that a texture or surface reference of a module has at present. */
struct smrf_device_binding {
    struct smrf_device_binding *next;
    uint32_t handle;
    char name[];
};

struct smrf_device_module {
    struct smrf_device_module *next;
    struct smrf_device *device;
    struct smrf_sass_module *sass;
    struct smrf_device_function *functions;
    /* As the host last set them; bank 3 is the device memory at const_address. */
    uint8_t *constants[SMRF_SASS_CONST_BANKS];
    struct smrf_device_binding *bindings;
    smrf_dptr const_address; /* of bank 3 in global memory, 0 = it is empty */
};

struct smrf_device {
    struct smrf_memory_space *space;
    struct smrf_device_module *modules;
    const struct smrf_device_listener *listener;
    struct smrf_device_limits limits;
    struct smrf_exec_texture **texture; /* [num_textures], by the number in their handles */
    uint32_t num_textures;
    bool together;   /* blocks of a launch */
    bool data_there; /* data of modules: the memory behind the space has room for it */
    struct smrf_exec_totals totals;
    struct smrf_sass_where next; /* where the next module goes */
    uint8_t fault;               /* enum smrf_exec_fault of the last launch */
    char error[SMRF_SASS_ERROR_BYTES];
};

#define SMRF_DEVICE_WORDS 256 /* headers that a kernel names, at most */
/* Handles of the references that a kernel names. Returns how many, or an error. */
int smrf_device_words(struct smrf_device_function *function,
                      struct smrf_exec_word word[SMRF_DEVICE_WORDS]);
void smrf_device_bindings_free(struct smrf_device_module *module);
void smrf_device_textures_free(struct smrf_device *device);

/* Sets the text of the last error; returns code. */
int smrf_device_fail(struct smrf_device *device, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
