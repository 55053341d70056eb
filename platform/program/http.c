/* SPDX-License-Identifier: Apache-2.0 */
/* libmicrohttpd is loaded when a server starts: with what it needs itself, loading it takes a
 * quarter of the time in which the program begins, and most commands serve nothing. */
#define _GNU_SOURCE
#include "platform/cli/http.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <microhttpd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONNECTIONS 64u
#define IDLE_S 15u

#define FUNCTIONS(X)                                                                               \
    X(MHD_add_response_header)                                                                     \
    X(MHD_create_response_from_buffer)                                                             \
    X(MHD_create_response_from_fd64)                                                               \
    X(MHD_destroy_response)                                                                        \
    X(MHD_get_daemon_info)                                                                         \
    X(MHD_lookup_connection_value)                                                                 \
    X(MHD_queue_response)                                                                          \
    X(MHD_start_daemon)                                                                            \
    X(MHD_stop_daemon)

/* The library's functions, by their names. */
#define MEMBER(name) __typeof__(&(name)) name;
static struct {
    FUNCTIONS(MEMBER)
} lib;

#ifndef SMRF_MICROHTTPD /* the build says which it was compiled for */
#define SMRF_MICROHTTPD "libmicrohttpd.so.12"
#endif

/* Returns false where the library, or a function of it, is missing; dlerror() says why. */
static bool load_(void)
{
    void *const library = dlopen(SMRF_MICROHTTPD, RTLD_NOW | RTLD_LOCAL);
    bool found = library != NULL;
#define FIND(name) found = found && (*(void **)&lib.name = dlsym(library, #name)) != NULL;
    FUNCTIONS(FIND)
    return found;
}

struct smrf_http {
    struct MHD_Daemon *daemon;
    smrf_http_answerer *answerer;
    void *ctx;
};

/* The page runs no script but its own, and no other site frames it. */
static void add_headers_(struct MHD_Response *response, const struct smrf_http_answer *answer)
{
    lib.MHD_add_response_header(response, "Content-Type", answer->type);
    lib.MHD_add_response_header(response, "Cache-Control", "no-store");
    lib.MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    lib.MHD_add_response_header(response, "Content-Security-Policy",
                                "default-src 'none'; style-src 'unsafe-inline'; script-src "
                                "'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'");
    if (answer->status == MHD_HTTP_METHOD_NOT_ALLOWED) {
        lib.MHD_add_response_header(response, "Allow", "GET, HEAD");
    }
}

static enum MHD_Result answer_(void *ctx, struct MHD_Connection *connection, const char *url,
                               const char *method, const char *version, const char *upload,
                               size_t *upload_size, void **begun)
{
    static int first;
    struct smrf_http *http = ctx;
    (void)version;
    (void)upload;
    if (!*begun) { /* the headers are there; what the client sends is not read */
        *begun = &first;
        return MHD_YES;
    }
    if (*upload_size) {
        *upload_size = 0;
        return MHD_YES;
    }
    const char *host = lib.MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    const struct smrf_http_request request = {method, url, host ? host : ""};
    struct smrf_http_answer answer = {
        .status = MHD_HTTP_INTERNAL_SERVER_ERROR, .type = "text/plain; charset=utf-8", .file = -1};
    http->answerer(http->ctx, &request, &answer);
    struct MHD_Response *response =
        answer.file >= 0 ? lib.MHD_create_response_from_fd64(answer.size, answer.file)
                         : lib.MHD_create_response_from_buffer(
                               answer.size, answer.body ? answer.body : "",
                               answer.body ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);
    if (!response) {
        return MHD_NO;
    }
    add_headers_(response, &answer);
    const enum MHD_Result queued = lib.MHD_queue_response(connection, answer.status, response);
    lib.MHD_destroy_response(response);
    return queued;
}

/* Returns false where the text is no address. */
static bool address_(const char *text, uint16_t port, struct sockaddr_storage *to)
{
    struct sockaddr_in *four = (struct sockaddr_in *)to;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)to;
    memset(to, 0, sizeof *to);
    if (inet_pton(AF_INET, text, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons(port);
        return true;
    }
    if (inet_pton(AF_INET6, text, &six->sin6_addr) == 1) {
        six->sin6_family = AF_INET6;
        six->sin6_port = htons(port);
        return true;
    }
    return false;
}

struct smrf_http *smrf_http_start(const char *address, uint16_t *port, smrf_http_answerer *answerer,
                                  void *ctx, char *text, size_t size)
{
    struct sockaddr_storage to;
    struct smrf_http *http = calloc(1, sizeof *http);
    if (!http || !address_(address, *port, &to)) {
        snprintf(text, size,
                 http ? "'%s' is no address of the form 127.0.0.1 or ::1" : "out of memory",
                 address);
        free(http);
        return NULL;
    }
    if (!load_()) {
        snprintf(text, size,
                 "cannot load libmicrohttpd: %s; on Debian: apt install libmicrohttpd12",
                 dlerror());
        free(http);
        return NULL;
    }
    http->answerer = answerer;
    http->ctx = ctx;
    const unsigned six = to.ss_family == AF_INET6 ? MHD_USE_IPv6 : 0;
    errno = 0;
    http->daemon = lib.MHD_start_daemon(
        (unsigned)MHD_USE_INTERNAL_POLLING_THREAD | six, *port, NULL, NULL, answer_, http,
        MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&to, MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS,
        MHD_OPTION_CONNECTION_TIMEOUT, IDLE_S, MHD_OPTION_END);
    if (!http->daemon) {
        snprintf(text, size, "%s port %u: cannot listen: %s", address, *port,
                 errno ? strerror(errno) : "the address may be in use");
        free(http);
        return NULL;
    }
    const union MHD_DaemonInfo *info =
        lib.MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_BIND_PORT);
    *port = info && info->port ? info->port : *port;
    return http;
}

void smrf_http_stop(struct smrf_http *http)
{
    lib.MHD_stop_daemon(http->daemon);
    free(http);
}
