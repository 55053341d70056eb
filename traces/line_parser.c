/* SPDX-License-Identifier: Apache-2.0 */
#include "line_parser.h"

#include "stand_in.h"
#include "text_scan.h"

#include "models/common/smrf_bits.h"
#include "models/common/smrf_reg_set.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define OPCODE_BYTES 128 /* longest opcode with modifiers; the longest seen has 40 */

static int refuse_(struct smrf_line_parser *k, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int refuse_(struct smrf_line_parser *k, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(k->reason, sizeof k->reason, format, args);
    va_end(args);
    return code;
}

/* ---- addresses ------------------------------------------------------------------------------ */

/* Addresses of the active lanes in order: as a stride where they have one, else as a list. */
static void set_addresses_(struct smrf_exec *e, const uint64_t *address)
{
    unsigned n = smrf_count_bits(e->mask), same = 2;
    if (n == 0) {
        return;
    }
    uint64_t stride = n > 1 ? address[1] - address[0] : 0;
    while (same < n && address[same] - address[same - 1] == stride) {
        same++;
    }
    if (same >= n) {
        e->addr_kind = SMRF_ADDR_STRIDE;
        e->base = address[0];
        e->stride = (int64_t)stride;
        return;
    }
    e->addr_kind = SMRF_ADDR_LIST;
    if (n == SMRF_LANES) {
        memcpy(e->lane, address, sizeof e->lane);
        return;
    }
    unsigned i = 0;
    for (uint32_t m = e->mask; m != 0; m &= m - 1) {
        e->lane[__builtin_ctz(m)] = address[i++];
    }
}

/* Tracers built on NVBit 1.4 list the lanes that were active, of which those in the mask also had
 * their predicate set; with all 32 listed it is known which is which. */
static void set_surplus_(struct smrf_exec *e, const uint64_t *address, unsigned listed)
{
    uint64_t picked[SMRF_LANES];
    unsigned n = 0;
    if (listed == SMRF_LANES) {
        for (uint32_t m = e->mask; m != 0; m &= m - 1) {
            picked[n++] = address[__builtin_ctz(m)];
        }
        set_addresses_(e, picked);
    } else {
        set_addresses_(e, address);
    }
}

static const char *list_(struct smrf_line_parser *k, const char *p, unsigned mode)
{
    struct smrf_exec *e = &k->exec;
    uint64_t address[SMRF_LANES];
    unsigned need = smrf_count_bits(e->mask);
    /* From version 5 on an immediate follows, so exactly the active lanes' entries are taken. */
    unsigned most = k->version >= 5 ? need : SMRF_LANES;
    unsigned n = 0;
    if (mode == 2) {
        if ((p = smrf_scan_hex(p, &address[n++])) == NULL) {
            return NULL;
        }
    }
    for (; n < most; n++) {
        uint64_t v;
        if (mode == 2 && smrf_scan_short(&p, &v)) { /* most differences */
            address[n] = address[n - 1] + v;
            continue;
        }
        const char *q = mode == 2 ? smrf_scan_signed(p, &v) : smrf_scan_hex(p, &v);
        if (q == NULL) {
            break;
        }
        address[n] = mode == 2 ? address[n - 1] + v : v;
        p = q;
    }
    if (n < need) {
        return NULL;
    }
    if (n > need) {
        set_surplus_(e, address, n);
    } else {
        set_addresses_(e, address);
    }
    return p;
}

/* The fields of one address mode, p after the mode's digit. NULL: they do not fit the mask. */
static const char *mode_(struct smrf_line_parser *k, char mode, const char *p)
{
    struct smrf_exec *e = &k->exec;
    uint64_t base, stride;
    if (mode != '1') {
        return list_(k, p, mode == '0' ? 0 : 2);
    }
    p = smrf_scan_hex(p, &base);
    if (p != NULL) {
        p = smrf_scan_signed(p, &stride);
    }
    if (p != NULL && e->mask != 0) { /* with mask 0 base and stride carry no meaning */
        e->addr_kind = SMRF_ADDR_STRIDE;
        e->base = base;
        e->stride = (int64_t)stride;
    }
    return p;
}

static const char *addresses_(struct smrf_line_parser *k, const struct smrf_code *c, const char *p)
{
    p = smrf_skip_blanks(p);
    char mode = *p;
    bool known = mode >= '0' && mode <= '2' && smrf_word_ends(p[1]);
    const char *after = known ? mode_(k, mode, p + 1) : NULL;
    if (after != NULL) {
        return after;
    }
    if (c->bulk_copy) { /* modes 3 and 4, or a barrier's address first: not lanes' addresses */
        while (*p != '\n') {
            p++;
        }
        k->exec.addr_kind = SMRF_ADDR_NONE;
        return p;
    }
    if (known) {
        (void)refuse_(
            k, SMRF_ERR_FORMAT,
            "address mode %c with mask %08x has fewer addresses than active lanes, or one "
            "that is no number",
            mode, k->exec.mask);
    } else {
        (void)refuse_(k, SMRF_ERR_FORMAT,
                      "an address mode (0 list, 1 stride, 2 deltas) must follow mem_width, not "
                      "'%.*s'",
                      smrf_word_bytes(p), p);
    }
    return NULL;
}

/* ---- immediates and values ------------------------------------------------------------------ */

/* One group: count, then values into the registers of place (NULL: discarded). */
static const char *value_group_(const char *p, uint32_t mask,
                                const struct smrf_operand_place *place,
                                uint32_t (*regs)[SMRF_LANES], bool *fits)
{
    uint32_t count;
    p = smrf_scan_number(p, &count);
    if (p == NULL) {
        return NULL;
    }
    unsigned lanes = (unsigned)__builtin_popcount(mask);
    bool vector = place != NULL && place->vector;
    unsigned expected = vector ? place->regs * lanes : 0;
    /* A source may be wider than its name says (a pair behind a constant): the rest is dropped. */
    bool wider = expected != 0 && !place->is_dst && count > expected && count % expected == 0;
    if (count != expected && !(vector && count == place->width * lanes) && !wider) {
        *fits = false;
    }
    uint32_t m = mask;
    unsigned reg = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t v;
        p = smrf_scan_hex(p, &v);
        if (p == NULL) {
            return NULL;
        }
        if (!*fits || reg >= place->regs) {
            continue;
        }
        regs[place->first + reg][__builtin_ctz(m)] = (uint32_t)v;
        m &= m - 1;
        if (m == 0) {
            m = mask;
            reg++;
        }
    }
    return p;
}

/* After the token "Val". */
static const char *values_(struct smrf_line_parser *k, const struct smrf_code *c, const char *p)
{
    struct smrf_exec *e = &k->exec;
    const struct smrf_static_inst *i = &c->inst;
    bool fits = true;
    e->values.num_dst = i->num_dst;
    e->values.num_src = c->num_src_values;
    const unsigned results = c->num_dst > 1 ? c->num_dst : 1; /* groups */
    for (unsigned g = 0; p != NULL && g < results + c->num_src; g++) {
        const struct smrf_operand_place *place = g >= results     ? &c->map.src[g - results]
                                                 : g < c->num_dst ? &c->map.dst[g]
                                                                  : NULL;
        bool dst = place != NULL && place->is_dst;
        p = value_group_(p, e->mask, place, dst ? e->values.dst : e->values.src, &fits);
    }
    if (p == NULL) {
        (void)refuse_(k, SMRF_ERR_FORMAT,
                      "the values after 'Val' end early or hold something that is no number");
        return NULL;
    }
    e->has_values = fits;
    if (!e->has_values) {
        smrf_warn(k->warnings,
                  "values of %s ignored: their number does not match its registers and lanes",
                  i->text);
    }
    return p;
}

/* Everything after mem_width: addresses, immediates, values, tokens of later versions. */
static const char *tail_(struct smrf_line_parser *k, const struct smrf_code *c, const char *p)
{
    struct smrf_exec *e = &k->exec;
    e->addr_kind = SMRF_ADDR_NONE;
    e->moved = false;
    e->has_values = false;
    e->imm = 0;
    if (c->memory) {
        p = addresses_(k, c, p);
        if (p == NULL) {
            return NULL;
        }
    }
    p = smrf_skip_blanks(p);
    if (k->version >= 5 && *p != '\n') {
        uint64_t second;
        const char *q = smrf_scan_signed(p, &e->imm);
        if (q != NULL && k->version >= 6) {
            q = smrf_scan_signed(q, &second);
        }
        p = q != NULL ? smrf_skip_blanks(q) : p;
        if (q != NULL && p[0] == 'V' && p[1] == 'a' && p[2] == 'l' && smrf_word_ends(p[3])) {
            p = values_(k, c, p + 3);
            if (p == NULL) {
                return NULL;
            }
        }
    }
    while (*p != '\n') {
        p++;
    }
    return p;
}

/* ---- static part ---------------------------------------------------------------------------- */

/* A register name into *out; *counts false for names that take no register (P0, B6, PT, ...). */
static const char *register_(struct smrf_line_parser *k, const char *p, uint16_t *out, bool *counts)
{
    uint32_t n = 0;
    const char *name = smrf_skip_blanks(p);
    bool uniform = name[0] == 'U' && name[1] == 'R';
    const char *number = name + (uniform ? 2 : 1);
    *counts = uniform || name[0] == 'R';
    if (*counts && number[0] == 'Z' && smrf_word_ends(number[1])) {
        *out = uniform ? SMRF_LISTED_UREG + SMRF_UREG_ZERO : SMRF_REG_ZERO;
        return number + 1;
    }
    if (*counts) {
        p = smrf_word_ends(*number) ? NULL : smrf_scan_number(number, &n);
        if (p == NULL || n > SMRF_REG_ZERO) {
            (void)refuse_(k, SMRF_ERR_FORMAT, "'%.*s' is no register (R0 to R255, UR0 to UR255)",
                          smrf_word_bytes(name), name);
            return NULL;
        }
        *out = (uint16_t)(n + (uniform ? SMRF_LISTED_UREG : 0u));
        return p;
    }
    if (*name < 'A' || *name > 'Z') {
        (void)refuse_(k, SMRF_ERR_FORMAT, "a register name must stand here, not '%.*s'",
                      smrf_word_bytes(name), name);
        return NULL;
    }
    for (p = name; !smrf_word_ends(*p);) {
        p++;
    }
    return p;
}

static const char *registers_(struct smrf_line_parser *k, const char *p, const char *what,
                              uint8_t *num, uint16_t *list)
{
    uint32_t n;
    const char *q = smrf_scan_number(p, &n);
    if (q == NULL) {
        (void)refuse_(k, SMRF_ERR_FORMAT, "%s must be a number, not '%.*s'", what,
                      smrf_word_bytes(smrf_skip_blanks(p)), smrf_skip_blanks(p));
        return NULL;
    }
    if (n > SMRF_MAX_BASE) {
        (void)refuse_(k, SMRF_ERR_FORMAT, "%s = %u, at most %d registers can be listed", what, n,
                      SMRF_MAX_BASE);
        return NULL;
    }
    *num = 0;
    for (p = q; n > 0; n--) {
        bool counts;
        p = register_(k, p, &list[*num], &counts);
        if (p == NULL) {
            return NULL;
        }
        *num = (uint8_t)(*num + counts);
    }
    return p;
}

static const char *opcode_(struct smrf_line_parser *k, const char *p, char *opcode)
{
    p = smrf_skip_blanks(p);
    size_t n = 0;
    while (!smrf_word_ends(p[n]) && p[n] > ' ' && p[n] <= '~' && n < OPCODE_BYTES) {
        n++;
    }
    if (!smrf_word_ends(p[n]) || n == 0 || n == OPCODE_BYTES || p[0] < 'A' || p[0] > 'Z') {
        (void)refuse_(k, SMRF_ERR_FORMAT, "an opcode must stand here, not '%.*s'",
                      smrf_word_bytes(p), p);
        return NULL;
    }
    memcpy(opcode, p, n);
    opcode[n] = '\0';
    return p + n;
}

/* Accel-Sim 2.0 writes a commit flag between the sources and mem_width of warp-group multiplies:
 * then the line has one number more than its version's mem_width and immediates. */
static const char *commit_flag_(const struct smrf_line_parser *k, const char *p)
{
    unsigned expected = k->version >= 6 ? 3 : k->version >= 5 ? 2 : 1;
    unsigned n = 0;
    uint64_t v;
    const char *second = p;
    for (const char *q = p; (q = smrf_scan_signed(q, &v)) != NULL; n++) {
        if (n == 0) {
            second = q;
        }
    }
    return n > expected ? second : p;
}

static const char *static_part_(struct smrf_line_parser *k, const char *p, char *opcode,
                                struct smrf_listed_inst *in)
{
    p = registers_(k, p, "dest_num", &in->num_dst, in->dst);
    if (p != NULL) {
        p = opcode_(k, p, opcode);
    }
    if (p != NULL) {
        p = registers_(k, p, "src_num", &in->num_src, in->src);
    }
    if (p == NULL) {
        return NULL;
    }
    if (smrf_opcode_is_gmma(opcode)) {
        p = commit_flag_(k, p);
    }
    const char *q = smrf_scan_number(p, &in->mem_width);
    if (q == NULL || in->mem_width > 1024) {
        p = smrf_skip_blanks(p);
        (void)refuse_(k, SMRF_ERR_FORMAT, "mem_width must be a number of bytes, not '%.*s'",
                      smrf_word_bytes(p), p);
        return NULL;
    }
    return q;
}

static void names_(char *text, size_t room, const struct smrf_listed_inst *in)
{
    size_t n = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < (unsigned)in->num_dst + in->num_src && n + 8 < room; i++) {
        bool dst = i < in->num_dst;
        unsigned r = dst ? in->dst[i] : in->src[i - in->num_dst];
        n += (size_t)snprintf(text + n, room - n, "%s%s%u", dst ? "to " : "",
                              r >= SMRF_LISTED_UREG ? "UR" : "R", r % SMRF_LISTED_UREG);
        n += (size_t)snprintf(text + n, room - n, " ");
    }
}

/* Hold a line against the sidecar, and take the positions of its operands from there. NULL with
 * *rc = 0: there is no sidecar. */
static const struct smrf_operands *sidecar_(struct smrf_line_parser *k, struct smrf_listed_inst *in,
                                            int *rc)
{
    *rc = 0;
    if (k->operands == NULL) {
        return NULL;
    }
    *rc = SMRF_ERR_FORMAT;
    const struct smrf_operands *o = smrf_operand_table_find(k->operands, in->pc);
    if (o == NULL) {
        (void)refuse_(k, *rc,
                      "the sidecar %s has no instruction at PC %04x; do they belong "
                      "together? Trace again, or remove it: without it the trace replays, too",
                      k->operands->path, in->pc);
        return NULL;
    }
    struct smrf_listed_inst want = {.mem_width = in->mem_width,
                                    .binary_version = in->binary_version};
    smrf_operands_list(o, k->version, &want, NULL);
    char stand_in[OPCODE_BYTES];
    (void)snprintf(stand_in, sizeof stand_in, "%s", want.opcode);
    bool same = (strcmp(want.opcode, in->opcode) == 0 ||
                 (smrf_stand_in(stand_in, sizeof stand_in) && strcmp(stand_in, in->opcode) == 0)) &&
                want.num_dst == in->num_dst && want.num_src == in->num_src &&
                memcmp(want.dst, in->dst, in->num_dst * sizeof in->dst[0]) == 0 &&
                memcmp(want.src, in->src, in->num_src * sizeof in->src[0]) == 0;
    if (!same) {
        char got[100], listed[100];
        names_(got, sizeof got, in);
        names_(listed, sizeof listed, &want);
        (void)refuse_(k, *rc,
                      "'%.40s %s' does not fit %s:%u, '%.40s %s': the sidecar is of another trace; "
                      "trace again, or remove it",
                      in->opcode, got, k->operands->path, o->line, want.opcode, listed);
        return NULL;
    }
    smrf_operands_list(o, 6, in, NULL); /* with every register, uniform ones included */
    *rc = 0;
    return o;
}

/* Bytes before the mask, if it has eight digits and one blank behind it; 0: it has not. */
static uint32_t pc_bytes_(const struct smrf_code *c)
{
    uint32_t mask;
    const bool usual = c->head_bytes > 9 && c->text[-1] == ' ' && smrf_is_blank(c->text[-10]) &&
                       smrf_hex_word(smrf_text_word(c->text - 9), &mask);
    return usual ? c->head_bytes - 9 : 0;
}

/* A new entry for the line, with what is its own of its first execution. NULL: there is none, *rc
 * says why. */
static struct smrf_code *add_(struct smrf_line_parser *k, uint32_t pc, const char *line,
                              const char *text, const char *opcode, int *rc)
{
    const char *newline = text;
    while (*newline != '\n') {
        newline++;
    }
    struct smrf_code *c = smrf_code_table_add(k->code, pc, line, (size_t)(text - line),
                                              (size_t)(newline + 1 - line), opcode);
    if (c == NULL) {
        *rc = k->code->count >= SMRF_CODE_LIMIT
                  ? refuse_(k, SMRF_ERR_LIMIT, "more than %u distinct instructions in one kernel",
                            SMRF_CODE_LIMIT)
                  : refuse_(k, SMRF_ERR_NOMEM, "no memory for another instruction");
        return NULL;
    }
    c->line = k->exec.line;
    c->mask = k->exec.mask;
    c->lanes = smrf_count_bits(c->mask);
    c->full_bytes = (uint32_t)(newline + 1 - text);
    c->pc_bytes = pc_bytes_(c);
    c->pc_mask =
        c->pc_bytes == 0 || c->pc_bytes >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * c->pc_bytes) - 1;
    return c;
}

/* What the other entry of the same text was decoded to. */
static void take_over_(struct smrf_code *c, const struct smrf_code *from)
{
    const uint32_t index = c->inst.index;
    const char *name = c->inst.text;
    c->inst = from->inst;
    c->inst.index = index;
    c->inst.text = name;
    c->map = from->map;
    c->static_bytes = from->static_bytes;
    c->memory = from->memory;
    c->is_checked = from->is_checked;
    c->guarded = from->guarded;
    c->straight = from->straight;
    c->bulk_copy = from->bulk_copy;
    c->plain = from->plain;
    c->num_dst = from->num_dst;
    c->num_src = from->num_src;
    c->num_src_values = from->num_src_values;
}

/* The same text in an earlier launch of the same program; NULL: it is new, or has been
 * forgotten. */
static const struct smrf_code *met_(const struct smrf_line_parser *k, uint32_t pc, const char *text)
{
    const struct smrf_code *c =
        k->met != NULL ? k->met->bucket[smrf_code_bucket(k->met, pc)] : NULL;
    while (c != NULL &&
           !(c->inst.pc == pc && c->program == k->program &&
             smrf_text_equal(text, c->text, c->memory ? c->static_bytes : c->full_bytes) &&
             smrf_word_ends(text[c->static_bytes]))) {
        c = c->next;
    }
    return c;
}

static void keep_(struct smrf_line_parser *k, const struct smrf_code *c)
{
    struct smrf_code *m = NULL;
    if (k->met != NULL && k->met->count < SMRF_MET_LIMIT) {
        m = smrf_code_table_add(k->met, c->inst.pc, c->whole, c->head_bytes,
                                (size_t)c->head_bytes + c->full_bytes, c->inst.text);
    }
    if (m != NULL) { /* without, the next launch decodes it again */
        take_over_(m, c);
        m->full_bytes = c->full_bytes;
        m->program = k->program;
    }
}

/* Enter the further steps of the last entry behind it. Their lines are never looked for. Returns 0
 * or an error. */
static int add_steps_(struct smrf_line_parser *k, struct smrf_code *c,
                      const struct smrf_listed_inst *in)
{
    static const char none[SMRF_TEXT_PAD + 1] = "\n";
    for (unsigned n = 1; n < c->map.steps; n++) {
        struct smrf_code *before = smrf_code_at(k->code, c->inst.index + n - 1);
        int rc;
        before->step = add_(k, in->pc, none, none, in->opcode, &rc);
        if (before->step == NULL) {
            return rc;
        }
        struct smrf_static_inst *inst = &before->step->inst;
        const uint32_t index = inst->index;
        const char *name = inst->text;
        smrf_opcode_step(in, n, inst);
        inst->index = index;
        inst->text = name;
        inst->set = smrf_reg_set_of_inst(inst, false, k->banks);
        smrf_code_table_join(k->code, before->step, true);
    }
    return 0;
}

/* Decode a line, text from dest_num on, and enter it into the table. */
static struct smrf_code *decode_(struct smrf_line_parser *k, uint32_t pc, const char *line,
                                 const char *text, int *rc)
{
    char opcode[OPCODE_BYTES];
    struct smrf_listed_inst in = {.pc = pc, .opcode = opcode, .binary_version = k->binary_version};
    *rc = SMRF_ERR_FORMAT;
    const char *end = static_part_(k, text, opcode, &in);
    if (end == NULL) {
        return NULL;
    }
    /* The immediate helps to distinguish operands. */
    if (k->version >= 5 && in.mem_width == 0 && smrf_scan_signed(end, &in.imm) == NULL) {
        in.imm = 0;
    }
    const unsigned num_dst = in.num_dst, num_src = in.num_src; /* on the line */
    const struct smrf_operands *operands = sidecar_(k, &in, rc);
    struct smrf_code *c = *rc == 0 ? add_(k, pc, line, text, in.opcode, rc) : NULL;
    if (c == NULL) {
        return NULL;
    }
    const uint32_t index = c->inst.index;
    const char *name = c->inst.text;
    bool known = smrf_opcode_decode(&in, &c->inst, &c->map);
    c->inst.index = index;
    c->inst.text = name;
    c->num_src_values = c->inst.num_src;
    if (operands != NULL) {
        smrf_operands_apply(operands, &c->map, &c->inst);
    }
    c->inst.set = smrf_reg_set_of_inst(&c->inst, k->base_only, k->banks);
    c->num_dst = (uint8_t)num_dst;
    c->num_src = (uint8_t)num_src;
    c->static_bytes = (uint32_t)(end - text);
    c->memory = in.mem_width != 0;
    c->bulk_copy = smrf_opcode_is_tma(&c->inst);
    c->is_checked = smrf_check_needed(c);
    c->guarded = !c->inst.has_operands || c->inst.guard != SMRF_NO_PREDICATE;
    c->straight = smrf_check_is_straight(c);
    /* A line with values must be read each time, and one of several steps is packed as those. */
    const bool wide = c->map.steps > 1 && !k->base_only;
    c->plain = known && !c->memory && !wide &&
               !smrf_line_has_values(c->text + c->static_bytes, c->text + c->full_bytes);
    *rc = wide ? add_steps_(k, c, &in) : 0;
    if (*rc != 0) {
        return NULL;
    }
    if (known && !wide) {
        keep_(k, c);
    } else if (!known && k->strict) {
        *rc = refuse_(k, SMRF_ERR_UNKNOWN, "%s: %s", opcode, c->map.doubt);
        return NULL;
    } else if (!known) {
        smrf_warn(k->warnings, "%s: %s", opcode, c->map.doubt);
    }
    return c;
}

/* A line of an instruction that the launch has not had, text from dest_num on. NULL: it has none,
 * *rc says why. */
static struct smrf_code *enter_(struct smrf_line_parser *k, uint32_t pc, const char *line,
                                const char *text, int *rc)
{
    const struct smrf_code *met = met_(k, pc, text);
    struct smrf_code *c =
        met != NULL ? add_(k, pc, line, text, met->inst.text, rc) : decode_(k, pc, line, text, rc);
    if (c != NULL && met != NULL) {
        const struct smrf_operands *o =
            k->operands != NULL ? smrf_operand_table_find(k->operands, pc) : NULL;
        take_over_(c, met);
        c->inst.source = o != NULL ? o->source : NULL; /* lives as long as this launch's sidecar */
    }
    for (struct smrf_code *s = c; s != NULL && k->on_instruction != NULL; s = s->step) {
        k->on_instruction(k->instruction_ctx, &s->inst);
        smrf_code_table_marked(k->code, s);
    }
    return c;
}

static inline struct smrf_code *find_(const struct smrf_code_table *t, uint32_t pc,
                                      const char *text, bool *whole)
{
    for (struct smrf_code *c = t->bucket[smrf_code_bucket(t, pc)]; c != NULL; c = c->next) {
        if (c->inst.pc != pc || c->inst.step != 0) {
            continue;
        }
        *whole = c->plain && smrf_text_equal(text, c->text, c->full_bytes);
        if (*whole || (smrf_text_equal(text, c->text, c->static_bytes) &&
                       smrf_word_ends(text[c->static_bytes]))) {
            return c;
        }
    }
    return NULL;
}

/* The fields in front of the PC. */
static const char *prefix_(struct smrf_line_parser *k, const char *p)
{
    uint32_t id[4];
    for (unsigned i = 0; p != NULL && i < (k->block_ids ? 4u : 0u); i++) {
        p = smrf_scan_number(p, &id[i]);
    }
    if (p != NULL && k->block_ids) {
        smrf_check_place(&k->check, id);
    }
    k->exec.line = 0;
    if (p != NULL && k->line_numbers) {
        p = smrf_scan_number(p, &k->exec.line);
    }
    if (p == NULL) {
        (void)refuse_(k, SMRF_ERR_FORMAT,
                      k->block_ids ? "block and warp ids (four numbers) must stand before the PC"
                                   : "a source line number must stand before the PC");
    }
    return p;
}

static const char *pc_and_mask_(struct smrf_line_parser *k, const char *p, uint32_t *pc,
                                uint32_t *mask)
{
    static const char all[8] = {'f', 'f', 'f', 'f', 'f', 'f', 'f', 'f'};
    uint64_t v = 0;
    const char *start = p;
    for (unsigned digit; (digit = smrf_hex_digit[(uint8_t)*p]) < 16; p++) {
        v = v << 4 | digit;
    }
    if (p == start || p - start > 8 || !smrf_is_blank(*p)) {
        (void)refuse_(k, SMRF_ERR_FORMAT,
                      "a PC of 1 to 8 hexadecimal digits must stand here, not '%.*s'",
                      smrf_word_bytes(start), start);
        return NULL;
    }
    *pc = (uint32_t)v;
    p = smrf_skip_blanks(p);
    if (memcmp(p, all, 8) == 0 && smrf_is_blank(p[8])) {
        *mask = UINT32_MAX;
        return smrf_skip_blanks(p + 8);
    }
    start = p;
    v = 0;
    for (unsigned digit; (digit = smrf_hex_digit[(uint8_t)*p]) < 16; p++) {
        v = v << 4 | digit;
    }
    if (p == start || p - start > 8 || !smrf_is_blank(*p)) {
        (void)refuse_(k, SMRF_ERR_FORMAT,
                      "a mask of 8 hexadecimal digits must stand after the PC, not '%.*s'",
                      smrf_word_bytes(start), start);
        return NULL;
    }
    *mask = (uint32_t)v;
    return smrf_skip_blanks(p);
}

const char *smrf_parse_special(struct smrf_line_parser *k, const struct smrf_code *c, const char *p)
{
    struct smrf_exec *e = &k->exec;
    e->code = c;
    const char *end = smrf_recall_addresses(e, c, p);
    if (end == NULL) {
        end = tail_(k, c, p);
    }
    k->totals->unknown_opcodes += end != NULL && (c->inst.flags & SMRF_INST_UNKNOWN) != 0;
    return end;
}

/* An entry's first execution has been read. */
static void first_(struct smrf_line_parser *k, struct smrf_code *c)
{
    const bool apart = smrf_check_apart(&k->check, c);
    c->imm = k->exec.imm; /* the usual one from now on */
    c->pc_bytes = apart ? 0 : c->pc_bytes;
    smrf_check_code(&k->check, c);
    if (c->plain) {
        smrf_code_table_join(k->code, c, apart);
    } else if (!apart) {
        smrf_recall_note(k, c, &k->exec);
    }
}

/* A line that is not recognised, but perhaps its instruction. Returns its bytes or an error. */
static int64_t line_(struct smrf_line_parser *k, const char *text,
                     struct smrf_trace_error_text *error)
{
    struct smrf_exec *e = &k->exec;
    bool whole = false;
    uint32_t pc;
    const char *p = smrf_skip_blanks(text);
    if (k->block_ids || k->line_numbers) {
        p = prefix_(k, p);
        if (p == NULL) {
            return SMRF_ERR_FORMAT;
        }
        p = smrf_skip_blanks(p);
    }
    p = pc_and_mask_(k, p, &pc, &e->mask);
    if (p == NULL) {
        return SMRF_ERR_FORMAT;
    }
    k->totals->thread_insts += smrf_count_bits(e->mask);
    struct smrf_code *c = find_(k->code, pc, p, &whole);
    const bool first = c == NULL;
    if (first) {
        int rc;
        c = enter_(k, pc, text, p, &rc);
        if (c == NULL) {
            return rc;
        }
    }
    smrf_recall_follow(&k->recall, c);
    if (whole && (!k->line_numbers || e->line == c->line)) {
        e->code = c;
        e->imm = c->imm;
        smrf_check_exec(&k->check, e);
        int rc = smrf_packer_put_plain(k->packer, c, e->mask, error);
        return rc != 0 ? rc : p + c->full_bytes - text;
    }
    p = smrf_parse_special(k, c, p + c->static_bytes);
    if (p == NULL) {
        return SMRF_ERR_FORMAT;
    }
    if (first) {
        first_(k, c);
    }
    smrf_check_exec(&k->check, e);
    int rc = smrf_packer_put(k->packer, e, error);
    rc = rc != 0 ? rc : smrf_packer_put_steps(k->packer, c, e->mask, error);
    return rc != 0 ? rc : p + 1 - text;
}

int64_t smrf_parse_lines(struct smrf_line_parser *k, const char *text, const char *end,
                         uint64_t most, uint64_t *lines, struct smrf_trace_error_text *error)
{
    k->check.found = 0;
    int64_t bytes = smrf_recall_lines(k, text, end, most, lines, error);
    if (bytes != 0) {
        return bytes;
    }
    *lines = 1;
    return line_(k, text, error);
}
