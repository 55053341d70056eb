/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the compiler's part. */
#ifndef SMRF_CARS_INTERNAL_H
#define SMRF_CARS_INTERNAL_H

#include "firmware/cars/cars.h"
#include "models/common/smrf_err.h"

#define SMRF_CARS_FIRST 16 /* first callee-saved register of the range. CARS II */

/* Registers of a function that a stack renames. */
struct smrf_regset smrf_cars_saved_(const struct smrf_flow_program *flow, uint32_t f,
                                    enum smrf_program_frames frames);
/* Take from *set what an instruction of function f saves or restores together with something
 * else. */
void smrf_cars_keep_whole_(const struct smrf_flow_program *flow, uint32_t f,
                           struct smrf_regset *set);
/* Does the instruction of rows s to end of the list of saves move registers of the set alone? */
bool smrf_cars_whole_(const struct smrf_flow_program *flow, uint32_t s, uint32_t end,
                      const struct smrf_regset *set);
/* Of `saved`, what may be read with the value of the function's entry. at_block: [num_blocks of
 * f]. */
struct smrf_regset smrf_cars_read_first_(const struct smrf_flow_program *flow, uint32_t f,
                                         const struct smrf_regset *saved,
                                         struct smrf_regset *at_block);

/* Fill in `deepest` of the functions, whose frames are known. Returns 0 or SMRF_ERR_NOMEM. */
int smrf_cars_depths_(struct smrf_program_function *function, const struct smrf_flow_program *flow);

#endif
