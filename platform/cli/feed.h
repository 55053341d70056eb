/* SPDX-License-Identifier: Apache-2.0 */
/* The launches of a program under way as a trace that grows: "smrf run -- PROGRAM". */
#ifndef SMRF_CLI_FEED_H
#define SMRF_CLI_FEED_H

#include "program.h"

#include <signal.h>

struct smrf_cli_feed;

/* Opens the socket in the process's session folder. stop: nonzero ends the trace. NULL: it cannot
 * be opened, which has been said. */
struct smrf_cli_feed *smrf_cli_feed_open(struct smrf_cli_process *process, const char *command,
                                         const volatile sig_atomic_t *stop);
const char *smrf_cli_feed_socket(const struct smrf_cli_feed *feed);
/* The list of the trace, and its `more` (traces/trace.h), with the feed as ctx. */
const char *smrf_cli_feed_list(const struct smrf_cli_feed *feed);
int smrf_cli_feed_more(void *feed, uint64_t read);
/* The program may go on without being replayed. NULL is allowed. */
void smrf_cli_feed_close(struct smrf_cli_feed *feed);

#endif
