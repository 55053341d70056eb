/* SPDX-License-Identifier: Apache-2.0 */
#include "architecture.h"

#include <stdio.h>
#include <string.h>

#define STREAMS 1024 /* told apart at most */

size_t smrf_streams_note(const struct smrf_launch *launches, size_t count, char *text, size_t room)
{
    uint64_t stream[STREAMS];
    size_t streams = 0;
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
        while (at < streams && stream[at] != launches[i].stream) {
            at++;
        }
        if (at == streams && streams < STREAMS) {
            stream[streams++] = launches[i].stream;
        }
    }
    text[0] = '\0';
    if (streams > 1) {
        (void)snprintf(text, room,
                       "the launches of %zu streams run one after another: concurrent kernels are "
                       "not modelled",
                       streams);
    }
    return streams;
}

bool smrf_architecture_differs(uint32_t machine, const struct smrf_launch *launch)
{
    return machine != 0 && launch->binary_version != 0 && launch->binary_version != machine;
}

size_t smrf_architecture_note(uint32_t machine, const struct smrf_launch *launches, size_t count,
                              char *text, size_t room)
{
    size_t others = 0, first = 0;
    for (size_t i = 0; i < count; i++) {
        if (smrf_architecture_differs(machine, &launches[i])) {
            first = others == 0 ? i : first;
            others++;
        }
    }
    text[0] = '\0';
    if (others != 0) {
        (void)snprintf(text, room,
                       "%zu of %zu launches were compiled for another architecture than the "
                       "machine's, sm_%u (gpu.architecture); the first, %.80s, for sm_%u",
                       others, count, machine, launches[first].name,
                       launches[first].binary_version);
    }
    return others;
}

size_t smrf_architecture_refusal(uint32_t machine, const struct smrf_launch *launches, size_t count,
                                 char *text, size_t room)
{
    const size_t others = smrf_architecture_note(machine, launches, count, text, room);
    const size_t used = strlen(text);
    if (others != 0) {
        (void)snprintf(text + used, room - used,
                       ". Their control bits wait for that one's latencies. Set "
                       "issue.dependence=latency, which waits for this machine's, or "
                       "issue.dependence=scoreboard, or take a machine of that architecture "
                       "(smrf list presets)");
    }
    return others;
}
