/* SPDX-License-Identifier: Apache-2.0 */
/* A module of NVIDIA machine code (sm_75 to sm_90) as the disassembler prints it (nvdisasm, or
 * cuobjdump -sass), parsed and linked: every function placed in one code image, every data section
 * placed, every symbol and relocation resolved. */
#ifndef SMRF_SASS_H
#define SMRF_SASS_H

#include "models/common/smrf_err.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_SASS_INST_BYTES 16 /* one instruction */
#define SMRF_SASS_MAX_OPERANDS 8
#define SMRF_SASS_MAX_MODIFIERS 10
#define SMRF_SASS_CONST_BANKS 8

/* Where the first module lies in the device's address space: fixed, so that a trace is
 * reproducible. Neither half of a code address is zero, so that a lost half shows. */
#define SMRF_SASS_CODE_BASE UINT64_C(0x00007e1200000000)
#define SMRF_SASS_DATA_BASE UINT64_C(0x00007e2200000000)

/* Where a module is put that is loaded beside others. */
struct smrf_sass_where {
    uint64_t code_base, data_base; /* multiples of 65536 */
};

enum smrf_sass_kind {
    SMRF_SASS_NONE,
    SMRF_SASS_REG,     /* R0..R254, RZ = 255 */
    SMRF_SASS_UREG,    /* UR0..UR62, URZ = 63 */
    SMRF_SASS_PRED,    /* P0..P6, PT = 7 */
    SMRF_SASS_UPRED,   /* UP0..UP6, UPT = 7 */
    SMRF_SASS_BARRIER, /* B0..B15: convergence-barrier register */
    SMRF_SASS_SPECIAL, /* SR_TID.X, SRZ, PR, SB0, ...: name */
    SMRF_SASS_INT,     /* imm; a relocated 32@lo(..)/32@hi(..)/fun@.. is resolved to this */
    SMRF_SASS_FLOAT,   /* number, as printed; also +INF, -QNAN, ... */
    SMRF_SASS_CONST,   /* c[bank][reg + imm]; c[0x0][UR4+..]: ureg */
    SMRF_SASS_MEM,     /* [reg.64 + ureg + imm] */
    /* A branch or call target: imm = absolute code address. With a register before it (BRX,
     * RET.REL, CALL.REL) what the register is added to. RET.ABS and CALL.ABS with a number have an
     * INT. */
    SMRF_SASS_CODE
};

/* Which part of a 32-bit register an operand names. */
enum smrf_sass_part {
    SMRF_SASS_WHOLE,
    SMRF_SASS_H0_H0,
    SMRF_SASS_H1_H1,
    SMRF_SASS_H1_H0,
    SMRF_SASS_H0_NH1, /* low half, negated high half */
    SMRF_SASS_H0,
    SMRF_SASS_H1,
    SMRF_SASS_B0,
    SMRF_SASS_B1,
    SMRF_SASS_B2,
    SMRF_SASS_B3,
    SMRF_SASS_ROW, /* IMMA's .ROW, .COL */
    SMRF_SASS_COL,
    SMRF_SASS_F32,   /* HADD2's constant that is a float: c[0x0][0x160].F32 */
    SMRF_SASS_SIGN,  /* PLOP3: the sign of a register as a predicate */
    SMRF_SASS_LOW24, /* I2IP to 4 and 2 bits: what of the third source goes above, R7.24, R7.28 */
    SMRF_SASS_LOW28
};

#define SMRF_SASS_BINDLESS 255 /* bank of cx[ureg][imm] */

struct smrf_sass_operand {
    uint8_t kind;     /* enum smrf_sass_kind */
    uint8_t reg;      /* number; base register of MEM and CONST, 255 = none */
    uint8_t ureg;     /* MEM, CONST: uniform register in the address, 63 = none */
    uint8_t part;     /* enum smrf_sass_part */
    uint8_t scale;    /* MEM: factor of the base register (.X4, .X8, .X16), else 1 */
    uint8_t bank;     /* CONST */
    bool negated;     /* -x; on a predicate: never (see inverted) */
    bool absolute;    /* |x| */
    bool inverted;    /* ~x, or !p */
    bool reuse;       /* .reuse: the operand's register-cache hint */
    bool wide;        /* MEM: base register .64 (or the 64-bit default of .E) as printed with .64 */
    bool u32;         /* MEM: base register .U32 */
    int64_t imm;      /* INT, CODE, and the offset of MEM and CONST; FLOAT that is a NaN: its bits
                         (a double's upper ones) if the text has encodings, else 0 */
    double number;    /* FLOAT */
    const char *name; /* SPECIAL */
};

/* The compiler's orders to the issue stage, bits 105 to 125 of the encoding: stall cycles in 4
 * bits, no yield, counter to count up when written and when read in 3 bits each (7: none), counters
 * to wait for in 6 bits, operands to keep (reuse) in 4 bits. */
#define SMRF_SASS_NO_CONTROL UINT32_MAX /* the text has no encodings */

struct smrf_sass_inst {
    uint64_t address;     /* absolute: the module's code_base + offset in the image */
    uint32_t control;     /* or SMRF_SASS_NO_CONTROL */
    uint32_t line;        /* in the text */
    uint32_t source_line; /* of source; 0 = unknown (code without -lineinfo) */
    const char
        *source;       /* file that it was compiled from, as "//## File" names it; NULL = unknown */
    uint32_t function; /* index of struct smrf_sass_function */
    uint8_t guard;     /* predicate number, 7 = PT; of a uniform predicate with guard_uniform */
    bool guard_inverted;
    bool guard_uniform; /* @UP0 */
    uint8_t num_operands, num_modifiers;
    const char *opcode;                            /* first token of the mnemonic: "IMAD" */
    const char *mnemonic;                          /* whole: "IMAD.WIDE.U32" */
    const char *modifier[SMRF_SASS_MAX_MODIFIERS]; /* "WIDE", "U32" */
    struct smrf_sass_operand operand[SMRF_SASS_MAX_OPERANDS];
    const char *text; /* as printed, without address comment, encoding and ';' */
};

/* A word of a kernel's constants that is to hold the handle of a texture or surface. It is 0 until
 * somebody fills it in. */
struct smrf_sass_header {
    const struct smrf_sass_header *next;
    const char *name; /* of the texture or surface reference, mangled */
    uint32_t offset;  /* in constant bank 0 */
};

struct smrf_sass_function {
    const char *name;      /* mangled */
    uint64_t address;      /* absolute */
    uint32_t size;         /* bytes, padding included */
    uint32_t first, count; /* its instructions */
    bool entry;            /* a kernel */
    bool external;         /* malloc, free, ..: no instructions, an address behind the image */
    uint32_t registers;    /* a thread (EIATTR_REGCOUNT or SHI_REGISTERS) */
    uint32_t shared_bytes; /* static (.nv.shared.<name>), an entry's */
    uint32_t frame_bytes;  /* EIATTR_FRAME_SIZE: local memory of one call */
    int64_t stack_bytes;   /* EIATTR_MIN_STACK_SIZE, -1 = not known (recursion, indirect calls) */
    uint32_t barriers;     /* SHI_BARRIERS */
    uint32_t param_base, param_bytes; /* in constant bank 0: 0x160 and the total size */
    uint32_t num_params;
    struct smrf_sass_param {
        uint16_t ordinal, offset, bytes;              /* EIATTR_KPARAM_INFO */
    } * param;                                        /* [num_params], by ordinal */
    const uint8_t *const_data[SMRF_SASS_CONST_BANKS]; /* .nv.constant<bank>.<name>: switch tables */
    uint32_t const_bytes[SMRF_SASS_CONST_BANKS];
    const struct smrf_sass_header *header; /* NULL = none */
};

/* A named datum: .nv.global(.init), .nv.constant3, .nv.shared (offset within the block's shared
 * memory, then absolute is false). */
struct smrf_sass_symbol {
    const char *name;
    uint64_t address; /* global data: absolute; constant: offset in bank; shared: offset */
    uint32_t size;
    uint8_t space; /* 'g' global, 'c' constant bank 3 and others, 's' shared */
    uint8_t bank;  /* 'c' */
};

/* An initialised or zero range of global data, to be copied to the device when the module loads. */
struct smrf_sass_data {
    uint64_t address;
    uint32_t size;
    const uint8_t *bytes; /* NULL = zeros */
};

/* A call edge of .nv.callgraph (direct), or a possible indirect callee by prototype. */
struct smrf_sass_call {
    uint32_t caller, callee; /* function indices */
    bool direct, indirect;   /* either or both */
};

/* One place to which an indexed branch (BRX) may lead, as BRANCH_TARGETS names it. */
struct smrf_sass_jump {
    uint32_t inst; /* index of the branch */
    uint64_t target;
};

struct smrf_sass_module {
    const char *file;    /* as given */
    uint64_t code_base;  /* address of the code image's first byte */
    uint64_t data_base;  /* of the first data section */
    uint64_t data_bytes; /* from there to the last one's end */
    unsigned arch;       /* 75 of sm_75 */
    bool listing;        /* of cuobjdump -sass: code only, static shared memory is not known */
    uint64_t code_bytes;
    uint32_t num_insts, num_functions, num_symbols, num_data, num_calls, num_jumps;
    struct smrf_sass_inst *inst; /* sorted by address */
    struct smrf_sass_function *function;
    struct smrf_sass_symbol *symbol;
    struct smrf_sass_data *data;
    struct smrf_sass_call *call;
    struct smrf_sass_jump *jump;                      /* by branch */
    const uint8_t *const_data[SMRF_SASS_CONST_BANKS]; /* module-wide banks (.nv.constant3, ...) */
    uint32_t const_bytes[SMRF_SASS_CONST_BANKS];
    void *store; /* everything above lives here */
};

#define SMRF_SASS_ERROR_BYTES 512
/* "file:line: reason", or without a line where it is 0; both parts are cut to fit. */
void smrf_sass_error_at(char error[SMRF_SASS_ERROR_BYTES], const char *file, uint32_t line,
                        const char *format, va_list args);

/* Parse and link `size` bytes of text; `file` is for messages. Two forms are distinguished by
 * themselves: nvdisasm's, and cuobjdump -sass's. The latter has code only: there every function is
 * an entry, registers are counted from the code, and parameters are known as far as the mangled
 * name tells their sizes (num_params 0 = it does not). An object that was not linked (-rdc=true
 * without -dlink) is laid out as a whole: constants and shared memory of all its functions
 * together. On failure *module is NULL and error names file, line and reason. Returns 0 or
 * SMRF_ERR_{FORMAT,CORRUPT,UNKNOWN,LIMIT,NOMEM}. */
int smrf_sass_parse(struct smrf_sass_module **module, const char *file, const char *text,
                    size_t size, char error[SMRF_SASS_ERROR_BYTES]);
/* The same at addresses of the caller's choice, NULL = the fixed ones. SMRF_ERR_INVAL in addition.
 */
int smrf_sass_parse_at(struct smrf_sass_module **module, const char *file, const char *text,
                       size_t size, const struct smrf_sass_where *where,
                       char error[SMRF_SASS_ERROR_BYTES]);
/* The same from a file; SMRF_ERR_IO in addition. */
int smrf_sass_load(struct smrf_sass_module **module, const char *file,
                   char error[SMRF_SASS_ERROR_BYTES]);
int smrf_sass_load_at(struct smrf_sass_module **module, const char *file,
                      const struct smrf_sass_where *where, char error[SMRF_SASS_ERROR_BYTES]);
void smrf_sass_free(struct smrf_sass_module *module);

/* Whether machine code for sm_<arch> can be read. */
bool smrf_sass_arch_known(uint64_t arch);

/* Function by mangled name, or by its plain name ("saxpy") where only one entry bears it. NULL if
 * there is none or more than one. */
const struct smrf_sass_function *smrf_sass_find(const struct smrf_sass_module *module,
                                                const char *name);
const struct smrf_sass_symbol *smrf_sass_find_symbol(const struct smrf_sass_module *module,
                                                     const char *name);
/* Instruction at an absolute address, NULL if there is none. */
const struct smrf_sass_inst *smrf_sass_at(const struct smrf_sass_module *module, uint64_t address);

#ifdef __cplusplus
}
#endif

#endif
