/* SPDX-License-Identifier: Apache-2.0 */
/* Relocations by number (R_CUDA_..), in the form that the listing has for each. */
#include "firmware/cubin/cubin_internal.h"

#include <inttypes.h>

enum place { NOT_KNOWN, IN_CODE, IN_DATA };

static const struct {
    uint8_t type, place, bytes; /* bytes: of data */
    const char *before, *after;
} forms[] = {
    {0x01, IN_DATA, 4, "", ""},                 /* 32 */
    {0x02, IN_DATA, 8, "", ""},                 /* 64 */
    {0x03, IN_DATA, 4, "fun@R_CUDA_G32(", ")"}, /* a generic address */
    {0x04, IN_DATA, 8, "fun@R_CUDA_G64(", ")"},
    {0x06, IN_DATA, 4, "[20@lo(0x0)=", "]"}, /* a texture's header */
    {0x22, IN_DATA, 4, "fun@R_CUDA_FUNC_DESC_32(", ")"},
    {0x23, IN_DATA, 8, "fun@R_CUDA_FUNC_DESC_64(", ")"},
    {0x34, IN_DATA, 4, "[20@lo(0x0)=fun@R_CUDA_SURF_HEADER_INDEX(", ")]"},
    {0x37, IN_CODE, 0, "`(", ")"},         /* ABS32_32: the number in bits 32 to 63 */
    {0x38, IN_CODE, 0, "32@lo(", ")"},     /* ABS32_LO_32 */
    {0x39, IN_CODE, 0, "32@hi(", ")"},     /* ABS32_HI_32 */
    {0x3a, IN_CODE, 0, "`(", ")"},         /* ABS47_34: a call's target */
    {0x3b, IN_CODE, 0, "`(", ")"},         /* ABS16_32 */
    {0x3c, IN_CODE, 0, "`(", ")"},         /* ABS24_32 */
    {0x3d, IN_CODE, 0, "fun@fdesc(", ")"}, /* FUNC_DESC32_32 and its halves */
    {0x3e, IN_CODE, 0, "32@lo(fun@fdesc(", "))"},
    {0x3f, IN_CODE, 0, "32@hi(fun@fdesc(", "))"},
    {0x40, IN_CODE, 0, "`(", ")"},     /* CONST_FIELD19_40: bank and offset of a constant */
    {0x42, IN_CODE, 0, "`(", ")"},     /* CONST_FIELD21_38 */
    {0x46, IN_DATA, 4, "32@lo(", ")"}, /* 32_LO */
    {0x47, IN_DATA, 4, "32@hi(", ")"}, /* 32_HI */
    {0x48, IN_DATA, 4, "fun@R_CUDA_UNUSED_CLEAR32(", ")"},
    {0x49, IN_DATA, 8, "fun@R_CUDA_UNUSED_CLEAR64(", ")"},
    {0x4a, IN_CODE, 0, "`(", ")"},    /* ABS24_40: an address's offset */
    {0x4b, IN_CODE, 0, "`(", ")"},    /* ABS55_16_34: a call's target */
    {0x4c, IN_DATA, 1, "8@lo(", ")"}, /* 8_0 to 8_56: one byte of an address */
    {0x4d, IN_DATA, 1, "0xff00@field(", ")"},
    {0x4e, IN_DATA, 1, "0xff0000@field(", ")"},
    {0x4f, IN_DATA, 1, "0xff000000@field(", ")"},
    {0x50, IN_DATA, 1, "0xff00000000@field(", ")"},
    {0x51, IN_DATA, 1, "0xff0000000000@field(", ")"},
    {0x52, IN_DATA, 1, "0xff000000000000@field(", ")"},
    {0x53, IN_DATA, 1, "8@hi(", ")"},
    {0x54, IN_DATA, 1, "8@lo(fun@R_CUDA_G8_0(", "))"}, /* G8_0 to G8_56 */
    {0x55, IN_DATA, 1, "0xff00@field(fun@R_CUDA_G8_8(", "))"},
    {0x56, IN_DATA, 1, "0xff0000@field(fun@R_CUDA_G8_16(", "))"},
    {0x57, IN_DATA, 1, "0xff000000@field(fun@R_CUDA_G8_24(", "))"},
    {0x58, IN_DATA, 1, "0xff00000000@field(fun@R_CUDA_G8_32(", "))"},
    {0x59, IN_DATA, 1, "0xff0000000000@field(fun@R_CUDA_G8_40(", "))"},
    {0x5a, IN_DATA, 1, "0xff000000000000@field(fun@R_CUDA_G8_48(", "))"},
    {0x5b, IN_DATA, 1, "8@hi(fun@R_CUDA_G8_56(", "))"},
};

static int find_(const struct smrf_cubin_reloc *r)
{
    for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (forms[i].type == r->type) {
            return (int)i;
        }
    }
    return -1;
}

unsigned smrf_cubin_reloc_bytes(const struct smrf_cubin_reloc *r)
{
    const int i = find_(r);
    return i < 0 ? 0 : forms[i].bytes;
}

bool smrf_cubin_reference(const struct smrf_cubin *c, const struct smrf_cubin_reloc *r,
                          bool of_code, int64_t in_place, struct smrf_text *text)
{
    const int i = find_(r);
    const char *name = c->symbol[r->symbol].name;
    if (i < 0 || forms[i].place != (of_code ? IN_CODE : IN_DATA) || *name == 0) {
        return false;
    }
    const int64_t addend = r->explicit_addend ? r->addend : in_place;
    smrf_text_add(text, "%s", forms[i].before);
    if (addend == 0) {
        smrf_text_add(text, "%s", name);
    } else {
        smrf_text_add(text, "(%s + %s0x%" PRIx64 ")", name, addend < 0 ? "-" : "",
                      addend < 0 ? 0 - (uint64_t)addend : (uint64_t)addend);
    }
    smrf_text_add(text, "%s", forms[i].after);
    return true;
}
