/* SPDX-License-Identifier: Apache-2.0 */
/* Textures and surfaces of a device, and the references that modules have to them. */
#include "device_internal.h"

#include "firmware/exec/texture.h"

#include <stdlib.h>
#include <string.h>

static int no_memory_(struct smrf_device *device)
{
    return smrf_device_fail(device, SMRF_ERR_NOMEM, "out of memory");
}

/* A number that is free; 0 is never one. */
static int free_number_(struct smrf_device *d, uint32_t *number)
{
    for (uint32_t i = 1; i < d->num_textures; i++) {
        if (d->texture[i] == NULL) {
            *number = i;
            return 0;
        }
    }
    const uint32_t more = d->num_textures != 0 ? d->num_textures * 2 : 16;
    if (more > SMRF_TEXTURE_NUMBER) {
        return smrf_device_fail(d, SMRF_ERR_LIMIT, "too many textures and surfaces");
    }
    struct smrf_exec_texture **grown =
        realloc((void *)d->texture, more * sizeof(struct smrf_exec_texture *));
    if (grown == NULL) {
        return no_memory_(d);
    }
    memset((void *)(grown + d->num_textures), 0,
           (more - d->num_textures) * sizeof(struct smrf_exec_texture *));
    *number = d->num_textures != 0 ? d->num_textures : 1;
    d->texture = grown;
    d->num_textures = more;
    return 0;
}

int smrf_device_texture_add(struct smrf_device *device, const struct smrf_exec_texture *texture,
                            uint32_t *handle)
{
    uint32_t number = 0;
    int rc = free_number_(device, &number);
    struct smrf_exec_texture *own = rc == 0 ? malloc(sizeof *own) : NULL;
    if (rc != 0 || own == NULL) {
        return rc != 0 ? rc : no_memory_(device);
    }
    *own = *texture;
    device->texture[number] = own;
    *handle = number;
    return 0;
}

const struct smrf_exec_texture *smrf_device_texture(const struct smrf_device *device,
                                                    uint32_t handle)
{
    const uint32_t number = handle & SMRF_TEXTURE_NUMBER;
    return number < device->num_textures ? device->texture[number] : NULL;
}

int smrf_device_texture_remove(struct smrf_device *device, uint32_t handle)
{
    if (smrf_device_texture(device, handle) == NULL) {
        return smrf_device_fail(device, SMRF_ERR_INVAL, "no texture has the handle 0x%x", handle);
    }
    free(device->texture[handle & SMRF_TEXTURE_NUMBER]);
    device->texture[handle & SMRF_TEXTURE_NUMBER] = NULL;
    return 0;
}

static struct smrf_device_binding *find_(struct smrf_device_module *module, const char *name)
{
    struct smrf_device_binding *b = module->bindings;
    while (b != NULL && strcmp(b->name, name) != 0) {
        b = b->next;
    }
    return b;
}

bool smrf_device_names(const struct smrf_device_module *module, const char *name)
{
    for (uint32_t i = 0; i < module->sass->num_functions; i++) {
        const struct smrf_sass_header *h = module->sass->function[i].header;
        for (; h != NULL; h = h->next) {
            if (strcmp(h->name, name) == 0) {
                return true;
            }
        }
    }
    return false;
}

int smrf_device_bind(struct smrf_device_module *module, const char *name, uint32_t handle)
{
    struct smrf_device_binding *b = find_(module, name);
    if (b == NULL) {
        const size_t bytes = strlen(name) + 1;
        b = malloc(sizeof *b + bytes);
        if (b == NULL) {
            return no_memory_(module->device);
        }
        memcpy(b->name, name, bytes);
        b->next = module->bindings;
        module->bindings = b;
    }
    b->handle = handle;
    return 0;
}

int smrf_device_words(struct smrf_device_function *function,
                      struct smrf_exec_word word[SMRF_DEVICE_WORDS])
{
    int count = 0;
    for (const struct smrf_sass_header *h = function->entry->header; h != NULL; h = h->next) {
        const struct smrf_device_binding *b = find_(function->module, h->name);
        if (count == SMRF_DEVICE_WORDS) {
            return smrf_device_fail(function->module->device, SMRF_ERR_LIMIT,
                                    "kernel %s names more than %d textures and surfaces",
                                    function->entry->name, SMRF_DEVICE_WORDS);
        }
        word[count++] = (struct smrf_exec_word){h->offset, b != NULL ? b->handle : 0};
    }
    return count;
}

void smrf_device_bindings_free(struct smrf_device_module *module)
{
    while (module->bindings != NULL) {
        struct smrf_device_binding *next = module->bindings->next;
        free(module->bindings);
        module->bindings = next;
    }
}

void smrf_device_textures_free(struct smrf_device *device)
{
    for (uint32_t i = 0; i < device->num_textures; i++) {
        free(device->texture[i]);
    }
    free((void *)device->texture);
    device->texture = NULL;
    device->num_textures = 0;
}
