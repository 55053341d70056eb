/* SPDX-License-Identifier: Apache-2.0 */
/* The side file of a trace: which operands are near. Text, for static bits a line an instruction:
 *
 *     smrf-reuse 1
 *     mode profile
 *     rthld 12
 *     launch 1 _Z6kernelPf
 *     0040 FFMA R4+ : R2- R3+ R4-
 *     end
 *
 * PC (hexadecimal), opcode, every 32-bit destination, ':', every 32-bit source; + is near, - is
 * far. mode: profile (majority over the first warps), majority (over all), dynamic. In dynamic mode
 * a launch holds, instead of lines, a record for each block in the trace's order: 'B', u32 warps,
 * then for each warp u32 instructions, u32 bytes, and that many bytes of bits, lowest first: for
 * each instruction its sources, then its destinations. Numbers are little-endian; "end" follows the
 * last record as a line. */
#ifndef SMRF_REUSE_FILE_H
#define SMRF_REUSE_FILE_H

#include "reuse.h"

#ifdef __cplusplus
extern "C" {
#endif

enum smrf_reuse_mode { SMRF_REUSE_PROFILE, SMRF_REUSE_MAJORITY, SMRF_REUSE_DYNAMIC };

/* "profile", "majority", "dynamic"; NULL past the last. */
const char *smrf_reuse_mode_name(unsigned mode);

#define SMRF_REUSE_TEXT 512 /* bytes of an error's text */

/* --- writing ---------------------------------------------------------------------------------- */

struct smrf_reuse_writer;

/* The file appears under its name when it is complete. Every call returns 0 or SMRF_ERR_{IO,NOMEM};
 * the first error is kept and returned by close, with text. */
int smrf_reuse_writer_open(struct smrf_reuse_writer **w, const char *path,
                           enum smrf_reuse_mode mode, uint32_t rthld);
int smrf_reuse_writer_launch(struct smrf_reuse_writer *w, const struct smrf_kernel_info *info);
/* Static modes: the bits of the launch's instructions. */
int smrf_reuse_writer_profile(struct smrf_reuse_writer *w, const struct smrf_reuse_profile *p);
/* Dynamic mode: instructions in the order of smrf_reuse_measure. */
int smrf_reuse_writer_inst(struct smrf_reuse_writer *w, struct smrf_trace_block *block,
                           uint32_t warp, const struct smrf_reuse_marked *m);
int smrf_reuse_writer_end_launch(struct smrf_reuse_writer *w);
/* Has something not been written? Closing the file reports why. */
bool smrf_reuse_writer_failed(const struct smrf_reuse_writer *w);
int smrf_reuse_writer_close(struct smrf_reuse_writer *w, char text[SMRF_REUSE_TEXT]);
/* Close and leave nothing behind. */
void smrf_reuse_writer_abandon(struct smrf_reuse_writer *w);

/* --- static bits by instruction --------------------------------------------------------------- */

/* From an instruction, as its PC, opcode and registers, to its bits. */
struct smrf_reuse_bits;
int smrf_reuse_bits_create(struct smrf_reuse_bits **bits);
void smrf_reuse_bits_free(struct smrf_reuse_bits *bits);
void smrf_reuse_bits_clear(struct smrf_reuse_bits *bits);
int smrf_reuse_bits_add(struct smrf_reuse_bits *bits, const struct smrf_static_inst *op,
                        uint32_t near_src, uint32_t near_dst);
/* Majority of every instruction of a profile. */
int smrf_reuse_bits_add_profile(struct smrf_reuse_bits *bits, const struct smrf_reuse_profile *p);
/* false: not known; the bits are then 0, far. */
bool smrf_reuse_bits_find(const struct smrf_reuse_bits *bits, const struct smrf_static_inst *op,
                          uint32_t *near_src, uint32_t *near_dst);

/* --- reading ---------------------------------------------------------------------------------- */

struct smrf_reuse_reader;

/* On failure *r is NULL and text names file, line and reason. */
int smrf_reuse_reader_open(struct smrf_reuse_reader **r, const char *path,
                           char text[SMRF_REUSE_TEXT]);
enum smrf_reuse_mode smrf_reuse_reader_mode(const struct smrf_reuse_reader *r);
uint32_t smrf_reuse_reader_rthld(const struct smrf_reuse_reader *r);
/* The next launch, which must be this one. Static modes: its bits go into `bits`, which is cleared
 * first. */
int smrf_reuse_reader_launch(struct smrf_reuse_reader *r, const struct smrf_kernel_info *info,
                             struct smrf_reuse_bits *bits);
/* Dynamic mode: the next block's bits, to be given back with free(). */
struct smrf_reuse_block;
int smrf_reuse_reader_block(struct smrf_reuse_reader *r, struct smrf_trace_block *block,
                            struct smrf_reuse_block **bits);
/* Dynamic mode: every block of the launch has been read. */
int smrf_reuse_reader_end_launch(struct smrf_reuse_reader *r);
/* Next instruction of a warp. SMRF_ERR_CORRUPT if the file has fewer bits than the trace. */
int smrf_reuse_block_next(struct smrf_reuse_block *block, uint32_t warp,
                          const struct smrf_static_inst *op, uint32_t *near_src,
                          uint32_t *near_dst);
const char *smrf_reuse_reader_error(const struct smrf_reuse_reader *r);
void smrf_reuse_reader_close(struct smrf_reuse_reader *r);

#ifdef __cplusplus
}
#endif

#endif
