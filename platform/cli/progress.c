/* SPDX-License-Identifier: Apache-2.0 */
/* The progress bar: one line on standard error, drawn over itself. */
#define _GNU_SOURCE
#include "cli.h"

#include <sys/ioctl.h>
#include <unistd.h>

#define BAR 24

static bool drawn;

static void time_text_(char *text, size_t size, double seconds)
{
    unsigned long s = (unsigned long)(seconds + 0.5);
    if (s >= 3600) {
        snprintf(text, size, "%lu:%02lu:%02lu", s / 3600, s / 60 % 60, s % 60);
    } else {
        snprintf(text, size, "%lu:%02lu", s / 60, s % 60);
    }
}

static int columns_(void)
{
    struct winsize w;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 20 ? w.ws_col : 80;
}

void smrf_cli_progress_draw(void *ctx, const struct smrf_progress *progress)
{
    (void)ctx;
    char line[256], bar[BAR + 1], left[32] = "";
    int used = 0;
    double rate = progress->seconds > 0 ? (double)progress->warp_insts / progress->seconds : 0;
    if (progress->fraction >= 0) {
        int filled = (int)(progress->fraction * BAR);
        for (int i = 0; i < BAR; i++) {
            bar[i] = i < filled ? '#' : '.';
        }
        bar[BAR] = '\0';
        used = snprintf(line, sizeof line, "[%s] %3d %%  ", bar, (int)(progress->fraction * 100));
    }
    if (progress->fraction > 0.001) {
        time_text_(left, sizeof left,
                   progress->seconds * (1 - progress->fraction) / progress->fraction);
    }
    snprintf(line + used, sizeof line - (size_t)used,
             "%.2f M warp instructions/s%s%s  launch %llu %s, block %llu of %llu", rate / 1e6,
             left[0] ? ", left " : "", left, (unsigned long long)progress->launch,
             smrf_cli_name(progress->kernel, 24), (unsigned long long)progress->blocks,
             (unsigned long long)progress->blocks_total);
    fprintf(stderr, "\r\033[K%.*s", columns_() - 1, line);
    fflush(stderr);
    drawn = true;
}

void smrf_cli_progress_start(struct smrf_platform *p)
{
    smrf_platform_on_progress(p, SMRF_CLI_PROGRESS_S, smrf_cli_progress_draw, NULL);
}

void smrf_cli_progress_end(void)
{
    if (drawn) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        drawn = false;
    }
}
