/* SPDX-License-Identifier: Apache-2.0 */
/* smrf serve: the page of an experiment that is under way. Requests change nothing: a separate
 * process makes the page whenever runs have ended. */
#define _GNU_SOURCE
#include "experiment.h"
#include "http.h"

#include "platform/config/internal.h"
#include "platform/store/store.h"
#include "traces/files/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PORT 8042
#define LOOK_MS 500  /* between two looks at the store */
#define REST_MS 3000 /* between two pages, at least */
#define PAGE_MOST (64u << 20)

struct serve {
    const char *address;
    uint16_t port;
    const char *given; /* as it was typed */
    char *folder;      /* absolute: the command's folder becomes this process's */
    int dir;
    bool is_open;  /* to more than this machine */
    json_t *words; /* of the command that is reported; NULL: the page is report.html as it is */
    const char *command;
    char made[64]; /* folder of the page that is being made */
    pthread_mutex_t lock;
    char *page; /* .. and below are guarded by it */
    size_t page_size;
    unsigned version;
    struct smrf_store_progress progress;
    char error[512]; /* of the last attempt; "": none */
};

enum { KEY_ADDRESS = 'a', KEY_PORT = 'p' };

static const struct argp_option option_table[] = {
    {"port", KEY_PORT, "N", 0, "to listen on (default: 8042; 0: any that is free)", 1},
    {"address", KEY_ADDRESS, "A", 0,
     "to listen on (default: 127.0.0.1, which only this machine can reach). With another "
     "address, anyone who can reach it can read the page and the folder's CSV, SVG and JSON files",
     1},
    {0},
};

static error_t parse_(int key, char *arg, struct argp_state *state)
{
    struct serve *s = state->input;
    uint32_t port = 0;
    switch (key) {
    case KEY_PORT:
        if (smrf_number_parse(arg, &port) || port > 65535) {
            argp_error(state, "--port takes a whole number from 0 to 65535, not '%s'", arg);
        }
        s->port = (uint16_t)port;
        return 0;
    case KEY_ADDRESS:
        s->address = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (s->given) {
            argp_error(state, "one folder at a time, not also '%s'", arg);
        }
        s->given = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which folder? smrf serve study-malekeh");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp smrf_cli_serve_argp = {
    option_table,
    parse_,
    "DIR",
    "Show the page of a study, sweep or comparison in a browser, also while it runs: the page "
    "counts the runs and updates its numbers as they end. A request changes nothing in DIR.\v"
    "  smrf study malekeh -o m & smrf serve m    then open http://127.0.0.1:8042/\n"
    "  smrf serve --port 0 sweep                 any free port; prints the address\n\n"
    "/ is the page, /state the count of runs as JSON, and /NAME a file of DIR that ends in .csv, "
    ".json or .html. Ctrl-C ends the server.",
    NULL,
    NULL,
    NULL};

/* --- answers ---------------------------------------------------------------------------------- */

static void text_(struct smrf_http_answer *a, unsigned status, const char *text)
{
    a->status = status;
    a->body = strdup(text);
    a->size = a->body ? strlen(text) : 0;
}

static const char *type_(const char *name)
{
    static const char *const types[][2] = {{".html", "text/html; charset=utf-8"},
                                           {".csv", "text/csv; charset=utf-8"},
                                           {".json", "application/json"}};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof types / sizeof *types; i++) {
        if (strcmp(dot, types[i][0]) == 0) {
            return types[i][1];
        }
    }
    return NULL;
}

/* A plain file that lies in the folder itself, not behind a link. */
static void file_(const struct serve *s, const char *name, struct smrf_http_answer *a)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    struct stat st;
    const char *type = type_(name);
    const bool is_plain = name[0] != '.' && name[strspn(name, letters)] == '\0' && type;
    const int fd =
        is_plain ? openat(s->dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        if (fd >= 0) {
            (void)close(fd);
        }
        text_(a, 404, "there is no such file\n");
        return;
    }
    a->status = 200;
    a->type = type;
    a->file = fd;
    a->size = (size_t)st.st_size;
}

static void page_(struct serve *s, struct smrf_http_answer *a)
{
    pthread_mutex_lock(&s->lock);
    if (s->page) {
        a->status = 200;
        a->type = "text/html; charset=utf-8";
        a->body = malloc(s->page_size + 1);
        a->size = a->body ? s->page_size : 0;
        if (a->body) {
            memcpy(a->body, s->page, s->page_size);
        }
    }
    pthread_mutex_unlock(&s->lock);
    if (a->status == 200) {
        return;
    }
    file_(s, "report.html", a);
    if (a->status == 404) {
        free(a->body);
        text_(a, 503,
              "There is no page yet. It comes with the first look at the runs; load again.\n");
    }
}

static void state_(struct serve *s, struct smrf_http_answer *a)
{
    pthread_mutex_lock(&s->lock);
    const struct smrf_store_progress p = s->progress;
    json_t *root =
        json_pack("{s:I,s:I,s:I,s:I,s:I,s:s}", "version", (json_int_t)s->version, "planned",
                  (json_int_t)p.planned, "whole", (json_int_t)p.whole, "failed",
                  (json_int_t)p.failed, "running", (json_int_t)p.claimed, "error", s->error);
    pthread_mutex_unlock(&s->lock);
    char *text = json_dumps(root, JSON_COMPACT);
    json_decref(root);
    a->status = 200;
    a->type = "application/json";
    a->body = text;
    a->size = text ? strlen(text) : 0;
}

/* Another site's page must not read this one through a host name of its own. */
static bool is_ours_(const struct serve *s, const char *host)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    bool ours = s->is_open || !*host;
    for (size_t i = 0; !ours && i < sizeof names / sizeof *names; i++) {
        const size_t length = strlen(names[i]);
        ours = strncasecmp(host, names[i], length) == 0 &&
               (host[length] == '\0' || host[length] == ':');
    }
    return ours;
}

static void answer_(void *ctx, const struct smrf_http_request *request, struct smrf_http_answer *a)
{
    struct serve *s = ctx;
    if (strcmp(request->method, "GET") != 0 && strcmp(request->method, "HEAD") != 0) {
        text_(a, 405, "only GET and HEAD: nothing can be changed here\n");
    } else if (!is_ours_(s, request->host)) {
        text_(a, 403, "ask for localhost: this server is only for its own machine\n");
    } else if (strcmp(request->path, "/") == 0) {
        page_(s, a);
    } else if (strcmp(request->path, "/state") == 0) {
        state_(s, a);
    } else {
        file_(s, request->path[0] == '/' ? request->path + 1 : request->path, a);
    }
}

/* --- the page --------------------------------------------------------------------------------- */

static volatile sig_atomic_t ended;

static void on_signal_(int number)
{
    (void)number;
    ended = 1;
}

static void rest_(unsigned ms)
{
    for (unsigned waited = 0; !ended && waited < ms; waited += 50) {
        usleep(50 * 1000);
    }
}

/* `smrf COMMAND WORDS.. --report --page=..` makes the page, with the folder of this server. Returns
 * the process; below 0: it could not be started. */
static int start_(const struct serve *s, const char *page, const char *log)
{
    const size_t count = json_array_size(s->words);
    const char **word = calloc(count + 8, sizeof *word);
    char to[128];
    size_t n = 0, at = count;
    for (size_t i = count; i-- > 0;) {
        at = strcmp(json_string_value(json_array_get(s->words, i)), "--") == 0 ? i : at;
    }
    snprintf(to, sizeof to, "--page=%s", page);
    if (!word) {
        return -1;
    }
    word[n++] = s->command;
    for (size_t i = 0; i <= count; i++) {
        if (i == at) { /* behind what was said of the folder, before "--" */
            word[n++] = "--report";
            word[n++] = to;
            word[n++] = "-o";
            word[n++] = s->folder;
        }
        if (i < count) {
            word[n++] = json_string_value(json_array_get(s->words, i));
        }
    }
    const int pid = smrf_runner_start(word, log, NULL);
    free(word);
    return pid;
}

/* The last line that the process printed. */
static void why_(const char *log, char *why, size_t size)
{
    char *text = NULL, unread[256];
    size_t length = 0;
    (void)smrf_input_read_bytes(log, PAGE_MOST, &text, &length, unread, sizeof unread);
    while (text && length && text[length - 1] == '\n') {
        text[--length] = '\0';
    }
    const char *line = text ? strrchr(text, '\n') : NULL;
    snprintf(why, size, "%s", line ? line + 1 : text && *text ? text : "it cannot be made");
    free(text);
}

static void make_page_(struct serve *s)
{
    char path[96], log[96], why[sizeof s->error] = "";
    int status = -1;
    snprintf(path, sizeof path, "%s/page.html", s->made);
    snprintf(log, sizeof log, "%s/log", s->made);
    const int pid = start_(s, path, log);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    size_t size = 0;
    char *page = NULL, unread[256];
    if (pid > 0 && status == 0) {
        (void)smrf_input_read_bytes(path, PAGE_MOST, &page, &size, unread, sizeof unread);
    }
    if (!page) {
        why_(log, why, sizeof why);
    }
    pthread_mutex_lock(&s->lock);
    if (page) {
        free(s->page);
        s->page = page;
        s->page_size = size;
        s->version++;
    } else if (!ended && strcmp(s->error, why) != 0) {
        smrf_cli_error("smrf serve: the page is not renewed: %s", why);
    }
    snprintf(s->error, sizeof s->error, "%s", why);
    pthread_mutex_unlock(&s->lock);
}

/* Until a signal: whenever a run has ended, a new page. */
static void watch_(struct serve *s)
{
    struct smrf_store_progress seen = {0, 0, 0, 0}, now;
    char text[512];
    while (!ended) {
        const int err = smrf_store_look(s->folder, &now, text, sizeof text);
        pthread_mutex_lock(&s->lock);
        s->progress = err ? s->progress : now;
        pthread_mutex_unlock(&s->lock);
        const bool news =
            !err && now.planned &&
            (now.planned != seen.planned || now.whole != seen.whole || now.failed != seen.failed);
        if (news && s->words) {
            seen = now;
            make_page_(s);
            rest_(REST_MS);
        }
        rest_(LOOK_MS);
    }
}

/* --- the command ------------------------------------------------------------------------------ */

/* The command that made the folder; false where its file is damaged. */
static bool read_command_(struct serve *s, json_t **root)
{
    static const char *const commands[] = {"study", "sweep", "compare"};
    char path[4200];
    json_error_t error;
    size_t i;
    json_t *word;
    snprintf(path, sizeof path, "%s/" SMRF_CLI_COMMAND_FILE, s->folder);
    if (access(path, F_OK) != 0) {
        return true; /* of an older program */
    }
    *root = json_load_file(path, 0, &error);
    const char *command = json_string_value(json_object_get(*root, "command"));
    const char *here = json_string_value(json_object_get(*root, "folder"));
    json_t *words = json_object_get(*root, "words");
    bool known = false, texts = json_is_array(words);
    for (i = 0; command && i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(command, commands[i]) == 0) {
            s->command = commands[i];
            known = true;
        }
    }
    json_array_foreach(words, i, word)
    {
        texts = texts && json_is_string(word);
    }
    if (!known || !texts || !here) {
        smrf_cli_error("smrf serve: %s: is no command of smrf study, sweep or compare%s%s", path,
                       *root ? "" : ": ", *root ? "" : error.text);
        return false;
    }
    s->words = words;
    if (chdir(here) != 0) {
        smrf_cli_error("smrf serve: note: %s, where the command was said, is no folder: %s", here,
                       strerror(errno));
    }
    return true;
}

static int serve_(struct serve *s)
{
    char text[512] = "";
    s->is_open = strncmp(s->address, "127.", 4) != 0 && strcmp(s->address, "::1") != 0;
    struct smrf_http *http = smrf_http_start(s->address, &s->port, answer_, s, text, sizeof text);
    if (!http) {
        smrf_cli_error("smrf serve: %s", text);
        return SMRF_EXIT_USAGE;
    }
    const bool six = strchr(s->address, ':') != NULL;
    printf("http://%s%s%s:%u/ shows %s; Ctrl-C ends it\n", six ? "[" : "", s->address,
           six ? "]" : "", s->port, s->given);
    fflush(stdout);
    if (s->is_open) {
        smrf_cli_error("smrf serve: note: anyone who can reach %s can read the folder", s->address);
    }
    smrf_cli_catch(on_signal_);
    watch_(s);
    smrf_http_stop(http);
    return SMRF_EXIT_OK;
}

static int open_(struct serve *s)
{
    struct smrf_store_progress p;
    char text[512];
    s->folder = realpath(s->given, NULL);
    s->dir = s->folder ? open(s->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (s->dir < 0) {
        smrf_cli_error("smrf serve: %s: %s", s->given, strerror(errno));
        return SMRF_EXIT_INPUT;
    }
    if (faccessat(s->dir, SMRF_STORE_FILE, F_OK, 0) != 0) {
        smrf_cli_error("smrf serve: %s: has no " SMRF_STORE_FILE
                       "; smrf study, sweep and compare -o leave one",
                       s->given);
        return SMRF_EXIT_INPUT;
    }
    if (smrf_store_look(s->folder, &p, text, sizeof text)) {
        smrf_cli_error("smrf serve: %s", text);
        return SMRF_EXIT_INPUT;
    }
    return SMRF_EXIT_OK;
}

static int run_(struct serve *s)
{
    const char *base = getenv("TMPDIR");
    char path[96];
    json_t *command = NULL;
    int status = open_(s);
    snprintf(s->made, sizeof s->made, "%.36s/smrf-serve-XXXXXX",
             base && *base && strlen(base) <= 36 ? base : "/tmp");
    if (!status && !mkdtemp(s->made)) {
        smrf_cli_error("smrf serve: %s: no folder for the page: %s", s->made, strerror(errno));
        status = SMRF_EXIT_INPUT;
    }
    if (!status) {
        status = read_command_(s, &command) ? serve_(s) : SMRF_EXIT_INPUT;
        for (int i = 0; i < 2; i++) {
            snprintf(path, sizeof path, "%s/%s", s->made, i ? "log" : "page.html");
            (void)unlink(path);
        }
        (void)rmdir(s->made);
    }
    json_decref(command);
    free(s->page);
    free(s->folder);
    if (s->dir >= 0) {
        (void)close(s->dir);
    }
    return status;
}

int smrf_cli_serve(int argc, char **argv)
{
    struct serve s = {
        .address = "127.0.0.1", .port = PORT, .dir = -1, .lock = PTHREAD_MUTEX_INITIALIZER};
    if (argp_parse(&smrf_cli_serve_argp, argc, argv, 0, NULL, &s)) {
        return SMRF_EXIT_USAGE;
    }
    if (!smrf_http_start) {
        smrf_cli_error("smrf serve: this program was built without libmicrohttpd. On Debian: apt "
                       "install libmicrohttpd-dev, and build again. Without it: smrf study FILE "
                       "--report makes the page of what there is");
        return SMRF_EXIT_USAGE;
    }
    return run_(&s);
}
