/* SPDX-License-Identifier: Apache-2.0 */
/* From text to module, line by line; the two forms of text are distinguished by cuobjdump's
 * headings "code for sm_75" and "Function : name". */
#include "firmware/sass/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "Function : name" of cuobjdump opens what nvdisasm calls .text.name. */
static int open_listing_(struct smrf_sass_parser *p)
{
    char buffer[48];
    smrf_sass_skip_space(p);
    size_t length = smrf_sass_name_length(p);
    if (length == 0) {
        return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line, "a function's name expected at %s",
                              smrf_sass_here(p, buffer));
    }
    p->listing = true;
    if (p->other_arch) {
        return 0;
    }
    char small[256], *name = length + 7 <= sizeof small ? small : malloc(length + 7);
    if (!name) {
        return smrf_sass_nomem(p);
    }
    memcpy(name, ".text.", 6);
    memcpy(name + 6, p->at, length);
    int rc = smrf_sass_open_section(p, name, length + 6, SASS_TEXT);
    if (name != small) {
        free(name);
    }
    if (rc >= 0) {
        p->sections[p->section].owner = p->sections[p->section].name + 6;
    }
    return rc;
}

/* A part of the text is for another architecture: once each, as many as there is room for. */
void smrf_sass_note_arch(struct smrf_sass_parser *p, uint64_t arch)
{
    char name[24];
    const size_t used = strlen(p->others);
    const int length = snprintf(name, sizeof name, "sm_%u", (unsigned)(arch % 100000));
    const char *at = strstr(p->others, name);
    const bool there = at && (at[length] == ',' || at[length] == '\0');
    if (!there && used + (size_t)length + 3 < sizeof p->others) {
        snprintf(p->others + used, sizeof p->others - used, "%s%s", used ? ", " : "", name);
    }
}

/* Headings of cuobjdump; 1 = the line was one. */
static int parse_heading_(struct smrf_sass_parser *p)
{
    if (*p->at != 'F' && *p->at != 'c' && *p->at != '.') {
        return 0;
    }
    if (smrf_sass_accept_word(p, "Function :")) {
        int rc = open_listing_(p);
        return rc < 0 ? rc : 1;
    }
    if (smrf_sass_accept_word(p, "code for sm_")) {
        uint64_t arch;
        p->listing = true;
        const bool known = smrf_sass_unsigned(p, &arch);
        p->other_arch = !known || !smrf_sass_take_arch(p, arch);
        if (known && p->other_arch) {
            smrf_sass_note_arch(p, arch);
        }
        p->section = SMRF_SASS_NO_INDEX;
        return 1;
    }
    if (smrf_sass_starts(p, "Fatbin ")) { /* PTX may follow, which is not read */
        p->listing = true;
        p->section = SMRF_SASS_NO_INDEX;
        return 1;
    }
    if (smrf_sass_starts(p, ".....")) { /* end of a function */
        p->section = SMRF_SASS_NO_INDEX;
        return 1;
    }
    return 0;
}

static int parse_offset_line_(struct smrf_sass_parser *p)
{
    char buffer[48];
    uint64_t offset;
    if (smrf_sass_starts(p, "/* 0x")) { /* an encoding */
        p->at += 3;
        smrf_sass_parse_upper_word(p);
        return 0;
    }
    if (!smrf_sass_hex_comment(p, &offset)) {
        return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line, "expected an offset at %s",
                              smrf_sass_here(p, buffer));
    }
    if (p->section == SMRF_SASS_NO_INDEX) {
        return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line,
                              "code or data outside of any section or function");
    }
    smrf_sass_skip_space(p);
    if (p->sections[p->section].kind == SASS_TEXT && !(p->at < p->end && *p->at == '.')) {
        return smrf_sass_parse_inst(p, offset);
    }
    return smrf_sass_parse_data(p, true, offset);
}

static bool ignoring_(const struct smrf_sass_parser *p)
{
    if (p->section == SMRF_SASS_NO_INDEX) {
        return p->listing; /* headings, PTX */
    }
    return p->other_arch || p->sections[p->section].kind == SASS_IGNORED;
}

static int parse_line_(struct smrf_sass_parser *p)
{
    char buffer[48];
    smrf_sass_skip_space(p);
    if (smrf_sass_at_end(p)) {
        return 0;
    }
    if (smrf_sass_starts(p, "//----------")) {
        p->section = SMRF_SASS_NO_INDEX; /* a banner: a section or the list of symbols follows */
        return 0;
    }
    if (smrf_sass_starts(p, "//")) {
        return !ignoring_(p) && smrf_sass_accept_word(p, "//## File \"") ? smrf_sass_parse_source(p)
                                                                         : 0;
    }
    int heading = parse_heading_(p);
    if (heading != 0) {
        return heading;
    }
    if (ignoring_(p) && !smrf_sass_starts(p, ".section")) {
        return 0;
    }
    if (*p->at == '/') {
        return parse_offset_line_(p);
    }
    size_t length = smrf_sass_name_length(p);
    if (length && p->at + length < p->end && p->at[length] == ':') {
        const char *after = p->at + length + 1;
        while (after < p->end && (*after == ' ' || *after == '\t' || *after == '\r')) {
            after++;
        }
        if (after == p->end || (p->end - after >= 2 && after[0] == '/' && after[1] == '/')) {
            return smrf_sass_parse_label(p, length);
        }
    }
    if (*p->at == '.') {
        return smrf_sass_parse_directive(p);
    }
    if (p->section == SMRF_SASS_NO_INDEX && p->num_sections == 0) {
        return 0; /* what a user's own remarks at the top may say */
    }
    return smrf_sass_fail(p, SMRF_ERR_FORMAT, p->line,
                          "%s is neither a directive, nor a label, nor an instruction",
                          smrf_sass_here(p, buffer));
}

static int parse_text_(struct smrf_sass_parser *p, const char *text, size_t size)
{
    const char *at = text, *end = text + size;
    if (size >= 4 && memcmp(text, "\177ELF", 4) == 0) {
        return smrf_sass_fail(
            p, SMRF_ERR_FORMAT, 0,
            "this is a cubin, not its text: give the output of 'nvdisasm file.cubin'");
    }
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        p->at = at;
        p->end = stop ? stop : end;
        p->line++;
        int rc = parse_line_(p);
        if (rc < 0) {
            return rc;
        }
        at = stop ? stop + 1 : end;
    }
    if (p->num_insts == 0 && p->others[0]) {
        return smrf_sass_fail(
            p, SMRF_ERR_UNKNOWN, 0,
            "the code is for %s, not for sm_70, 72, 75, 80, 86, 87, 89 or 90: compile "
            "with nvcc -arch=sm_75",
            p->others);
    }
    if (p->num_insts == 0 && !p->whole) {
        return smrf_sass_fail(
            p, SMRF_ERR_CORRUPT, 0,
            "no instruction of sm_70, 72, 75, 80, 86, 87, 89 or 90 in the text: give the "
            "output of 'nvdisasm file.cubin' or 'cuobjdump -sass file'");
    }
    return 0;
}

static int build_(struct smrf_sass_parser *p, const char *text, size_t size)
{
    int rc = parse_text_(p, text, size);
    if (rc >= 0) {
        rc = smrf_sass_place(p);
    }
    if (rc >= 0) {
        rc = smrf_sass_link(p);
    }
    if (rc >= 0) {
        rc = smrf_sass_read_info(p);
    }
    if (rc >= 0) {
        rc = smrf_sass_collect_calls(p);
    }
    if (rc >= 0) {
        rc = smrf_sass_collect_symbols(p);
    }
    if (rc >= 0 && p->relocatable) {
        rc = smrf_sass_merge_relocatable(p);
    }
    if (rc >= 0) {
        rc = smrf_sass_infer(p);
    }
    if (rc >= 0) {
        smrf_sass_settle_nans(p);
    }
    return rc;
}

int smrf_sass_parse(struct smrf_sass_module **module, const char *file, const char *text,
                    size_t size, char error[SMRF_SASS_ERROR_BYTES])
{
    return smrf_sass_parse_at(module, file, text, size, NULL, error);
}

int smrf_sass_parse_at(struct smrf_sass_module **module, const char *file, const char *text,
                       size_t size, const struct smrf_sass_where *where,
                       char error[SMRF_SASS_ERROR_BYTES])
{
    struct smrf_sass_parser p = {
        .file = file ? file : "text", .error = error, .section = SMRF_SASS_NO_INDEX};
    const struct smrf_sass_where fixed = {SMRF_SASS_CODE_BASE, SMRF_SASS_DATA_BASE};
    *module = NULL;
    error[0] = 0;
    where = where ? where : &fixed;
    if ((where->code_base | where->data_base) % 65536 != 0) {
        return smrf_sass_fail(&p, SMRF_ERR_INVAL, 0, "a module's place is a multiple of 65536");
    }
    p.store = calloc(1, sizeof *p.store);
    if (!p.store) {
        return smrf_sass_nomem(&p);
    }
    p.store->module.store = p.store;
    p.store->module.code_base = where->code_base;
    p.store->module.data_base = where->data_base;
    p.store->module.file = smrf_sass_copy(p.store, p.file, strlen(p.file));
    int rc = p.store->module.file ? build_(&p, text, size) : smrf_sass_nomem(&p);
    p.store->module.listing = p.listing;
    if (p.store->module.arch == 0) {
        p.store->module.arch = 75; /* a text that does not say */
    }
    if (rc < 0) {
        if (!p.store->bytes) {
            for (uint32_t i = 0; i < p.num_sections; i++) {
                free(p.sections[i].bytes);
            }
        }
        smrf_sass_release(p.store);
    } else {
        *module = &p.store->module;
    }
    smrf_sass_tables_free(&p);
    free(p.sections);
    free(p.symbols);
    free(p.insts);
    free(p.fixups);
    free(p.sizes);
    free(p.jumps);
    free(p.mnemonics);
    free(p.strings);
    return rc < 0 ? rc : 0;
}

void smrf_sass_free(struct smrf_sass_module *module)
{
    if (module) {
        smrf_sass_release(module->store);
    }
}
