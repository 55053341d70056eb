/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "session.h"

#include "feed.h"
#include "report.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MOST_PROCESSES 1000

struct note {
    struct note *next;
    enum smrf_cuda_note kind;
    char text[];
};

static struct {
    struct smrf_device *device;
    struct smrf_capture *capture;
    struct smrf_capture_options options;
    struct note *notes, **last_note;
    pid_t owner;     /* a forked child finishes nothing */
    unsigned number; /* of this process in the session, from 1 */
    bool finished;
    volatile sig_atomic_t stop; /* number of the signal */
    time_t stopped;             /* when it came, in seconds */
    sem_t wake;
    char dir[4096];
    char error[1280];
} s_ = {.last_note = &s_.notes};

/* ---- options --------------------------------------------------------------------------------- */

const char *smrf_cuda_option(const char *key)
{
    static char value[4096];
    const char *line = getenv(SMRF_CUDA_OPTIONS);
    const size_t length = strlen(key);
    while (line != NULL && *line != '\0') {
        const char *end = strchrnul(line, '\n');
        if (strncmp(line, key, length) == 0 && line[length] == '=') {
            const size_t n = (size_t)(end - line) - length - 1;
            if (n >= sizeof value) {
                return NULL;
            }
            memcpy(value, line + length + 1, n);
            value[n] = '\0';
            return value;
        }
        line = *end != '\0' ? end + 1 : end;
    }
    return NULL;
}

uint64_t smrf_cuda_option_number(const char *key, uint64_t unset)
{
    const char *text = smrf_cuda_option(key);
    return text != NULL ? strtoull(text, NULL, 10) : unset;
}

static char *keep_(const char *key)
{
    const char *text = smrf_cuda_option(key);
    return text != NULL ? strdup(text) : NULL;
}

static int ranges_(const char *key, struct smrf_capture_ranges *ranges)
{
    const char *text = smrf_cuda_option(key);
    return text != NULL ? smrf_capture_ranges_parse(ranges, text, s_.error) : 0;
}

static int read_options_(void)
{
    struct smrf_capture_options *o = &s_.options;
    const char *dir = smrf_cuda_option("dir");
    if (dir != NULL) {
        (void)snprintf(s_.dir, sizeof s_.dir, s_.number > 1 ? "%s-%u" : "%s", dir, s_.number);
        o->dir = s_.dir;
    }
    o->replace = smrf_cuda_option_number("force", 0) != 0;
    o->format = (enum smrf_trace_format)smrf_cuda_option_number("format", 0);
    o->compression = (enum smrf_trace_compression)smrf_cuda_option_number("compression", 0);
    o->values = smrf_cuda_option_number("values", 0) != 0;
    o->exact = smrf_cuda_option_number("exact", 0) != 0;
    o->max_insts = smrf_cuda_option_number("max-insts", 0);
    o->launches.kernel = keep_("kernel");
    o->launches.skip = smrf_cuda_option_number("skip", 0);
    o->launches.first = smrf_cuda_option_number("first", 0);
    const char *feed = smrf_cuda_option("feed");
    if (feed != NULL && (o->feed = smrf_cuda_feed_open(feed)) == NULL) {
        (void)snprintf(s_.error, sizeof s_.error, "the command that replays is not there any more");
        return SMRF_ERR_IO;
    }
    o->salvage = true;
    o->stop = &s_.stop;
    int rc = ranges_("blocks", &o->blocks);
    rc = rc == 0 ? ranges_("warps", &o->warps) : rc;
    return rc == 0 ? ranges_("launches", &o->launches.numbers) : rc;
}

/* ---- the report ------------------------------------------------------------------------------ */

void smrf_session_note(enum smrf_cuda_note kind, const char *text)
{
    static const char *const kinds[] = {"missing", "refused", "fault"};
    for (const struct note *n = s_.notes; n != NULL; n = n->next) {
        if (n->kind == kind && strcmp(n->text, text) == 0) {
            return;
        }
    }
    struct note *n = calloc(1, sizeof *n + strlen(text) + 1);
    if (n == NULL) {
        return;
    }
    n->kind = kind;
    memcpy(n->text, text, strlen(text) + 1);
    *s_.last_note = n;
    s_.last_note = &n->next;
    if (s_.owner == getpid()) {
        smrf_cuda_report_line(kinds[kind], text);
    }
}

const volatile sig_atomic_t *smrf_session_stop(void)
{
    return &s_.stop;
}

bool smrf_session_stopped(void)
{
    return s_.stop != 0;
}

static void report_sums_(void)
{
    struct smrf_capture_totals t = {0};
    struct smrf_exec_totals e = {0};
    if (s_.capture != NULL) {
        smrf_capture_sums(s_.capture, &t);
    }
    smrf_device_totals(s_.device, &e);
    smrf_cuda_report_sums(&t, &e);
}

void smrf_session_launched(void)
{
    if (s_.owner == getpid() && !s_.finished) {
        report_sums_();
    }
}

static void report_begin_(const char *folder)
{
    char process[24];
    smrf_cuda_report_open(folder, s_.number);
    (void)snprintf(process, sizeof process, "%ld", (long)s_.owner);
    smrf_cuda_report_line("process", process);
}

/* ---- begin and end --------------------------------------------------------------------------- */

static void finish_(void)
{
    if (s_.finished || s_.owner != getpid() || s_.device == NULL) {
        return;
    }
    s_.finished = true;
    smrf_device_listen(s_.device, NULL);
    if (s_.capture != NULL) {
        if (smrf_capture_finish(s_.capture) < 0) {
            (void)snprintf(s_.error, sizeof s_.error, "%s", smrf_capture_error(s_.capture));
            fprintf(stderr, "smrf: %s\n", s_.error);
        }
    }
    report_sums_();
    smrf_cuda_report_line("error", s_.error);
    smrf_cuda_report_line("ended", "1");
    smrf_capture_close(s_.capture);
    s_.capture = NULL;
}

__attribute__((destructor)) static void at_exit_(void)
{
    if (s_.device != NULL) {
        smrf_cuda_lock();
        finish_();
        smrf_cuda_unlock();
    }
}

/* A later signal ends the program without delay. One that comes within a second is the same one
 * again: timeout(1) and terminals send it to the process and to its group. */
static void on_signal_(int number)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    if (s_.stop == 0) {
        s_.stop = number;
        s_.stopped = now.tv_sec;
        (void)sem_post(&s_.wake);
    } else if (now.tv_sec > s_.stopped + 1) {
        (void)signal(number, SIG_DFL);
        (void)raise(number);
    }
}

/* Completes the trace after a signal. A launch under way ends after a warp's turn and gives the
 * lock up; then the program goes as the signal says. */
static void *watch_(void *ctx)
{
    (void)ctx;
    while (sem_wait(&s_.wake) != 0 && errno == EINTR) {
    }
    smrf_cuda_lock();
    finish_();
    (void)signal(s_.stop, SIG_DFL);
    (void)kill(getpid(), s_.stop);
    for (;;) { /* with the lock held: no call of the program begins anything more */
        (void)pause();
    }
    return NULL;
}

/* Only signals that the program leaves alone. */
static void watch_signals_(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction mine = {.sa_handler = on_signal_, .sa_flags = SA_RESTART};
    bool any = false;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction old;
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL) {
            any = sigaction(signals[i], &mine, NULL) == 0 || any;
        }
    }
    pthread_t thread;
    pthread_attr_t attributes;
    if (any && sem_init(&s_.wake, 0, 0) == 0 && pthread_attr_init(&attributes) == 0) {
        (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        (void)pthread_create(&thread, &attributes, watch_, NULL);
        (void)pthread_attr_destroy(&attributes);
    }
}

/* The lowest number that no other process of the session has. */
static int take_number_(const char *folder)
{
    char path[4200];
    for (s_.number = 1; s_.number < MOST_PROCESSES; s_.number++) {
        (void)snprintf(path, sizeof path, "%s/%u", folder, s_.number);
        if (mkdir(path, 0777) == 0) {
            return 0;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    return SMRF_ERR_IO;
}

int smrf_cuda_session_start(struct smrf_device *device)
{
    const char *folder = smrf_cuda_option("session");
    s_.device = device;
    s_.owner = getpid();
    s_.number = 1;
    if (getenv(SMRF_CUDA_OPTIONS) == NULL) {
        return 0;
    }
    int rc = folder != NULL ? take_number_(folder) : 0;
    if (rc == 0 && folder != NULL) {
        report_begin_(folder);
    }
    rc = rc == 0 ? read_options_() : rc;
    if (rc == 0) {
        rc = smrf_capture_open(&s_.capture, &s_.options);
        if (rc < 0) {
            (void)snprintf(s_.error, sizeof s_.error, "%s", smrf_capture_error(s_.capture));
        }
    }
    if (rc < 0) {
        fprintf(stderr, "smrf: %s\n", s_.error[0] != '\0' ? s_.error : "no trace can be written");
        return rc;
    }
    smrf_cuda_report_line("dir", s_.dir);
    smrf_device_listen(device, smrf_capture_listener(s_.capture));
    watch_signals_();
    return 0;
}
