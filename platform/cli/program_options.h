/* SPDX-License-Identifier: Apache-2.0 */
/* Options of a program whose launches are captured: the device that it finds, its limits, and which
 * launches count. The same in smrf trace and smrf run. */
#ifndef SMRF_CLI_PROGRAM_OPTIONS_H
#define SMRF_CLI_PROGRAM_OPTIONS_H

#include "firmware/capture/capture.h"
#include "firmware/launch/device.h"

#include <argp.h>

struct smrf_cli_program_options {
    struct smrf_capture_launches launches;
    const char *numbers; /* of launches, as given; NULL: all */
    struct smrf_device_limits limits;
    unsigned arch; /* of the device, 75 of sm_75; 0: what the code is for */
    bool given;    /* any of these options */
};

/* A child of the command's own parser: hand it the struct, zeroed, at ARGP_KEY_INIT. Its groups are
 * 1 and 2. */
extern const struct argp smrf_cli_program_argp;

void smrf_cli_program_options_free(struct smrf_cli_program_options *o);

/* A list of numbers of an option, "0,3,8-15", or the parser ends with an error that names it. */
void smrf_cli_ranges(struct argp_state *state, const char *option, const char *text,
                     struct smrf_capture_ranges *ranges);

#endif
