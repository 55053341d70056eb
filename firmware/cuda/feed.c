/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "feed.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int socket_ = -1;
static bool sent_; /* a message that has not been taken */

/* Has the command taken what it was sent? False: it wants no more. */
static bool taken_(void)
{
    char byte;
    ssize_t n;
    if (!sent_) {
        return true;
    }
    do {
        n = recv(socket_, &byte, 1, 0);
    } while (n < 0 && errno == EINTR);
    sent_ = false;
    return n == 1;
}

static bool send_(char kind, const int *descriptors, size_t count)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(SMRF_FEED_DESCRIPTORS * sizeof(int))];
    } control;
    struct iovec text = {&kind, 1};
    struct msghdr message = {.msg_iov = &text,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = CMSG_SPACE(count * sizeof(int))};
    ssize_t n;
    memset(&control, 0, sizeof control);
    control.head.cmsg_level = SOL_SOCKET;
    control.head.cmsg_type = SCM_RIGHTS;
    control.head.cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(&control.head), descriptors, count * sizeof(int));
    do {
        n = sendmsg(socket_, &message, MSG_NOSIGNAL);
    } while (n < 0 && errno == EINTR);
    sent_ = n == 1;
    return sent_;
}

static int copies_(const char *text, size_t bytes)
{
    const int fd = memfd_create("smrf-copies", MFD_CLOEXEC);
    for (size_t at = 0; fd >= 0 && at < bytes;) {
        const ssize_t n = write(fd, text + at, bytes - at);
        if (n < 0 && errno != EINTR) {
            (void)close(fd);
            return -1;
        }
        at += n > 0 ? (size_t)n : 0;
    }
    return fd;
}

static int deliver_(void *ctx, const char *copies, size_t bytes, int lines, int sidecar)
{
    const int descriptors[SMRF_FEED_DESCRIPTORS] = {copies_(copies, bytes), lines, sidecar};
    const bool launch = lines >= 0;
    (void)ctx;
    const bool whole = descriptors[0] >= 0;
    const bool wanted = whole && taken_() &&
                        send_(launch ? SMRF_FEED_LAUNCH : SMRF_FEED_END, descriptors,
                              launch ? SMRF_FEED_DESCRIPTORS : 1);
    for (size_t i = 0; i < SMRF_FEED_DESCRIPTORS; i++) {
        if (descriptors[i] >= 0) {
            (void)close(descriptors[i]);
        }
    }
    return !whole ? (int)SMRF_ERR_NOMEM : wanted ? 0 : 1;
}

const struct smrf_capture_feed *smrf_cuda_feed_open(const char *path)
{
    static const struct smrf_capture_feed feed = {.deliver = deliver_};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        return NULL;
    }
    memcpy(address.sun_path, path, strlen(path) + 1);
    socket_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (socket_ < 0 || connect(socket_, (const struct sockaddr *)&address, sizeof address) != 0) {
        return NULL;
    }
    return &feed;
}
