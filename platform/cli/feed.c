/* SPDX-License-Identifier: Apache-2.0 */
/* Each process of the program sends its launches over a connection of its own, as files in memory
 * (firmware/cuda/feed.h). One at a time gets a name in the session's folder, a link to the
 * descriptor, and a line of the list; it goes when the replay asks for the next. */
#define _GNU_SOURCE
#include "feed.h"

#include "cli.h"

#include "firmware/cuda/feed.h"
#include "models/common/smrf_err.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define MOST_PROCESSES 64 /* at once */
#define POLL_MS 50

struct smrf_cli_feed {
    struct smrf_cli_process *process;
    const volatile sig_atomic_t *stop;
    struct pollfd from[MOST_PROCESSES + 1]; /* the socket, then a connection a process */
    nfds_t num;
    struct sockaddr_un address;
    FILE *list;
    uint64_t listed; /* bytes */
    unsigned launches;
    int present[2]; /* lines and sidecar of the launch that is replayed, -1: none */
    char folder[3100], path[3200];
};

static void name_(const struct smrf_cli_feed *f, const char *kind, char *path, size_t room)
{
    (void)snprintf(path, room, "%s/kernel-%u.%s", f->folder, f->launches, kind);
}

static void drop_present_(struct smrf_cli_feed *f)
{
    static const char *const kinds[] = {"traceg", "operands"};
    char path[3200];
    for (size_t i = 0; i < 2; i++) {
        if (f->present[i] >= 0) {
            name_(f, kinds[i], path, sizeof path);
            (void)unlink(path);
            (void)close(f->present[i]);
            f->present[i] = -1;
        }
    }
}

static int link_(const struct smrf_cli_feed *f, const char *kind, int descriptor)
{
    char path[3200], target[64];
    name_(f, kind, path, sizeof path);
    (void)snprintf(target, sizeof target, "/proc/self/fd/%d", descriptor);
    return symlink(target, path) == 0 ? 0 : (int)SMRF_ERR_IO;
}

static int add_line_(struct smrf_cli_feed *f, const char *text, size_t bytes)
{
    f->listed += bytes;
    return fwrite(text, 1, bytes, f->list) == bytes ? 0 : (int)SMRF_ERR_IO;
}

static int add_copies_(struct smrf_cli_feed *f, int descriptor)
{
    char text[4096];
    ssize_t n = -1;
    if (lseek(descriptor, 0, SEEK_SET) == 0) {
        while ((n = read(descriptor, text, sizeof text)) > 0) {
            if (add_line_(f, text, (size_t)n) != 0) {
                return SMRF_ERR_IO;
            }
        }
    }
    (void)close(descriptor);
    return n == 0 ? 0 : (int)SMRF_ERR_IO;
}

static int add_launch_(struct smrf_cli_feed *f, const int *descriptor)
{
    char line[64];
    f->launches++;
    f->present[0] = descriptor[0];
    f->present[1] = descriptor[1];
    const int n = snprintf(line, sizeof line, "kernel-%u.traceg\n", f->launches);
    int rc = link_(f, "traceg", descriptor[0]);
    rc = rc == 0 ? link_(f, "operands", descriptor[1]) : rc;
    return rc == 0 ? add_line_(f, line, (size_t)n) : rc;
}

/* One message of a connection. Returns 1, 0 where the process has closed it, or an error. */
static int take_(struct smrf_cli_feed *f, int connection)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(SMRF_FEED_DESCRIPTORS * sizeof(int))];
    } control;
    char kind = 0;
    struct iovec text = {&kind, 1};
    struct msghdr message = {.msg_iov = &text,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    int descriptor[SMRF_FEED_DESCRIPTORS];
    if (recvmsg(connection, &message, MSG_CMSG_CLOEXEC) != 1) {
        return 0;
    }
    const struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    const size_t count = kind == SMRF_FEED_LAUNCH ? SMRF_FEED_DESCRIPTORS : 1;
    if (head == NULL || head->cmsg_type != SCM_RIGHTS ||
        head->cmsg_len != CMSG_LEN(count * sizeof(int))) {
        return SMRF_ERR_IO;
    }
    memcpy(descriptor, CMSG_DATA(head), count * sizeof(int));
    int rc = add_copies_(f, descriptor[0]);
    if (kind == SMRF_FEED_LAUNCH) {
        const int added = add_launch_(f, descriptor + 1);
        rc = rc == 0 ? added : rc;
    }
    rc = rc == 0 && fflush(f->list) != 0 ? (int)SMRF_ERR_IO : rc;
    (void)send(connection, &kind, 1, MSG_NOSIGNAL); /* the process may have ended */
    return rc == 0 ? 1 : rc;
}

static void accept_(struct smrf_cli_feed *f)
{
    const int connection = accept4(f->from[0].fd, NULL, NULL, SOCK_CLOEXEC);
    if (connection >= 0 && f->num <= MOST_PROCESSES) {
        f->from[f->num++] = (struct pollfd){.fd = connection, .events = POLLIN};
    } else if (connection >= 0) {
        (void)close(connection);
    }
}

/* The next message of any process. Returns as take_; 0: nothing came. */
static int next_(struct smrf_cli_feed *f, int timeout)
{
    if (poll(f->from, f->num, timeout) <= 0) {
        return 0;
    }
    for (nfds_t i = 1; i < f->num; i++) {
        if (f->from[i].revents != 0) {
            const int rc = take_(f, f->from[i].fd);
            if (rc == 0) {
                (void)close(f->from[i].fd);
                f->from[i--] = f->from[--f->num];
                continue;
            }
            return rc;
        }
    }
    if (f->from[0].revents != 0) {
        accept_(f);
    }
    return 0;
}

int smrf_cli_feed_more(void *feed, uint64_t read)
{
    struct smrf_cli_feed *f = feed;
    if (f->listed > read) {
        return 1;
    }
    drop_present_(f);
    while (*f->stop == 0) {
        const bool ended = smrf_cli_program_ended(f->process);
        const nfds_t before = f->num;
        const int rc = next_(f, ended ? 0 : POLL_MS);
        if (rc < 0 || f->listed > read) {
            return rc < 0 ? rc : 1;
        }
        if (ended && rc == 0 && f->num == before) {
            break;
        }
    }
    return 0;
}

const char *smrf_cli_feed_socket(const struct smrf_cli_feed *f)
{
    return f->address.sun_path;
}

const char *smrf_cli_feed_list(const struct smrf_cli_feed *f)
{
    return f->path;
}

static bool listen_(struct smrf_cli_feed *f)
{
    f->from[0] = (struct pollfd){
        .fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), .events = POLLIN};
    f->num = 1;
    return f->from[0].fd >= 0 &&
           bind(f->from[0].fd, (const struct sockaddr *)&f->address, sizeof f->address) == 0 &&
           listen(f->from[0].fd, MOST_PROCESSES) == 0;
}

struct smrf_cli_feed *smrf_cli_feed_open(struct smrf_cli_process *process, const char *command,
                                         const volatile sig_atomic_t *stop)
{
    struct smrf_cli_feed *f = calloc(1, sizeof *f);
    if (f == NULL) {
        smrf_cli_error("%s: out of memory", command);
        return NULL;
    }
    f->process = process;
    f->stop = stop;
    f->present[0] = f->present[1] = -1;
    f->from[0].fd = -1;
    f->address.sun_family = AF_UNIX;
    (void)snprintf(f->folder, sizeof f->folder, "%s/launches", process->session);
    (void)snprintf(f->path, sizeof f->path, "%s/kernelslist.g", f->folder);
    const int n =
        snprintf(f->address.sun_path, sizeof f->address.sun_path, "%s/feed", process->session);
    errno = ENAMETOOLONG;
    if (n < 0 || (size_t)n >= sizeof f->address.sun_path || mkdir(f->folder, 0700) != 0 ||
        (f->list = fopen(f->path, "we")) == NULL || !listen_(f)) {
        smrf_cli_error("%s: %s/feed: %s", command, process->session, strerror(errno));
        smrf_cli_feed_close(f);
        return NULL;
    }
    return f;
}

void smrf_cli_feed_close(struct smrf_cli_feed *f)
{
    if (f == NULL) {
        return;
    }
    drop_present_(f);
    for (nfds_t i = 0; i < f->num; i++) {
        (void)close(f->from[i].fd);
    }
    if (f->list != NULL) {
        (void)fclose(f->list);
    }
    (void)unlink(f->path);
    (void)unlink(f->address.sun_path);
    (void)rmdir(f->folder);
    free(f);
}
