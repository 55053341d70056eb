/* SPDX-License-Identifier: Apache-2.0 */
/* A small web server over libmicrohttpd: it carries requests and answers, and decides nothing. It
 * is part of the program alone, where libmicrohttpd was found: the libraries do without it. */
#ifndef SMRF_CLI_HTTP_H
#define SMRF_CLI_HTTP_H

#include <stddef.h>
#include <stdint.h>

struct smrf_http_request {
    const char *method, *path; /* "GET", "/x"; what was escaped is not */
    const char *host;          /* "" if the client names none */
};

struct smrf_http_answer {
    unsigned status;
    const char *type;
    char *body; /* freed by the server; NULL: the file is the answer */
    size_t size;
    int file; /* open for reading; closed by the server; below 0: there is none */
};

/* May be called by several threads at a time. */
typedef void smrf_http_answerer(void *ctx, const struct smrf_http_request *request,
                                struct smrf_http_answer *answer);

struct smrf_http;
/* NULL: the server is no part of this program. Listen; port 0: any free one. *port: the one that
 * was taken. NULL with text. */
__attribute__((weak)) struct smrf_http *smrf_http_start(const char *address, uint16_t *port,
                                                        smrf_http_answerer *answerer, void *ctx,
                                                        char *text, size_t size);
__attribute__((weak)) void smrf_http_stop(struct smrf_http *http);

#endif
