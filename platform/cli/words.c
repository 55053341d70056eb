/* SPDX-License-Identifier: Apache-2.0 */
/* The tables behind --help as manual pages and as what a shell completes. */
#define _GNU_SOURCE
#include "cli.h"

#include "platform/config/config.h"
#include "platform/config/registry.h"

#include <argp.h>
#include <ctype.h>
#include <string.h>

static const struct {
    const char *name;
    const struct argp *argp;
} commands[] = {
#define COMMAND(name) {#name, &smrf_cli_##name##_argp},
    SMRF_CLI_COMMANDS(COMMAND)
#undef COMMAND
};
#define COMMANDS (sizeof commands / sizeof *commands)

static bool is_option_(const struct argp_option *o)
{
    return o->name && !(o->flags & (OPTION_DOC | OPTION_HIDDEN));
}

/* Every option and heading of a command, those of its parts, too. */
static void each_(const struct argp *argp,
                  void (*told)(void *ctx, const struct argp_option *option), void *ctx)
{
    for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc); o++) {
        told(ctx, o);
    }
    for (const struct argp_child *c = argp->children; c && c->argp; c++) {
        each_(c->argp, told, ctx);
    }
}

static bool is_letter_(const struct argp_option *o)
{
    return o->key > ' ' && o->key < 127;
}

/* --- manual pages ----------------------------------------------------------------------------- */

static void roff_(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const bool first = i == 0 || text[i - 1] == '\n';
        if (first && (text[i] == '.' || text[i] == '\'')) {
            fputs("\\&", out);
        }
        if (text[i] == '\\') {
            fputs("\\e", out);
        } else if (text[i] == '-') {
            fputs("\\-", out);
        } else {
            fputc(text[i], out);
        }
    }
}

/* Lines that begin with a space are shown as they are. */
static void paragraphs_(FILE *out, const char *text, const char *end)
{
    bool as_is = false;
    while (text < end) {
        const char *line_end = memchr(text, '\n', (size_t)(end - text));
        line_end = line_end ? line_end : end;
        const bool shown = *text == ' ';
        if (shown != as_is) {
            fputs(shown ? ".PP\n.nf\n" : ".fi\n", out);
            as_is = shown;
        }
        if (line_end == text) {
            fputs(".PP\n", out);
        } else {
            roff_(out, text, (size_t)(line_end - text));
            fputc('\n', out);
        }
        text = line_end + 1;
    }
    fputs(as_is ? ".fi\n" : "", out);
}

static void man_option_(void *ctx, const struct argp_option *o)
{
    FILE *out = ctx;
    if (!is_option_(o)) {
        if (!o->name && o->doc) {
            fputs(".SS ", out);
            roff_(out, o->doc, strcspn(o->doc, ":"));
            fputc('\n', out);
        }
        return;
    }
    fputs(".TP\n", out);
    if (is_letter_(o)) {
        fprintf(out, "\\fB\\-%c\\fR, ", o->key);
    }
    fputs("\\fB\\-\\-", out);
    roff_(out, o->name, strlen(o->name));
    fputs("\\fR", out);
    if (o->arg) {
        fputs("=\\fI", out);
        roff_(out, o->arg, strlen(o->arg));
        fputs("\\fR", out);
    }
    fputc('\n', out);
    roff_(out, o->doc ? o->doc : "", o->doc ? strlen(o->doc) : 0);
    fputc('\n', out);
}

static void head_(FILE *out, const char *command)
{
    fprintf(out, ".TH SMRF%s%s 1 \"\" \"smrf %s\"\n.SH NAME\nsmrf%s%s \\- ",
            command[0] ? "\\-" : "", command, smrf_platform_version(), command[0] ? "\\-" : "",
            command);
}

static void man_of_(size_t i, FILE *out)
{
    const struct argp *argp = commands[i].argp;
    const char *doc = argp->doc, *end = doc + strlen(doc), *after = strchr(doc, '\v');
    const char *stop = strpbrk(doc, ".:,;(\v");
    head_(out, commands[i].name);
    roff_(out, doc, (size_t)((stop ? stop : end) - doc));
    fputs("\n.SH SYNOPSIS\n", out);
    for (const char *line = argp->args_doc ? argp->args_doc : ""; *line;) {
        const size_t length = strcspn(line, "\n");
        fprintf(out, "%s\\fBsmrf %s\\fR [\\fIOPTION\\fR..] ", line == argp->args_doc ? "" : ".br\n",
                commands[i].name);
        roff_(out, line, length);
        fputc('\n', out);
        line += length + (line[length] == '\n');
    }
    fputs(".SH DESCRIPTION\n", out);
    paragraphs_(out, doc, after ? after : end);
    fputs(".SH OPTIONS\n", out);
    each_(argp, man_option_, out);
    fputs(".TP\n\\fB\\-?\\fR, \\fB\\-\\-help\\fR\nshow the options, and stop\n"
          ".TP\n\\fB\\-\\-usage\\fR\nshow them in short, and stop\n",
          out);
    if (after) {
        fputs(".SH NOTES\n", out);
        paragraphs_(out, after + 1, end);
    }
    fputs(".SH SEE ALSO\n\\fBsmrf\\fR(1)\n", out);
}

int smrf_cli_man(const char *command, const char *text, FILE *out)
{
    for (size_t i = 0; command[0] && i < COMMANDS; i++) {
        if (strcmp(command, commands[i].name) == 0) {
            man_of_(i, out);
            return SMRF_EXIT_OK;
        }
    }
    if (command[0]) {
        smrf_cli_error("smrf: '%s' is not a command; smrf --help shows all", command);
        return SMRF_EXIT_USAGE;
    }
    head_(out, "");
    fputs("replay GPU instruction traces on a model of streaming multiprocessors\n"
          ".SH DESCRIPTION\n.nf\n",
          out);
    roff_(out, text, strlen(text));
    fputs(".fi\n.SH SEE ALSO\n", out);
    for (size_t i = 0; i < COMMANDS; i++) {
        fprintf(out, "%s\\fBsmrf\\-%s\\fR(1)", i ? ",\n" : "", commands[i].name);
    }
    fputc('\n', out);
    return SMRF_EXIT_OK;
}

/* --- completion ------------------------------------------------------------------------------- */

/* What may stand after an option, by the name of its argument: words, between spaces; "" for
 * files. */
static void values_(FILE *out, const struct argp_option *o)
{
    const struct smrf_mechanism *m;
    const char *name;
    if (strcmp(o->name, "mechanism") == 0) {
        for (unsigned i = 0; (m = smrf_mechanism_at(i)) != NULL; i++) {
            fprintf(out, "%s%s", i ? " " : "", m->name);
        }
    } else if (strcmp(o->name, "preset") == 0) {
        for (size_t i = 0; (name = smrf_preset_name(i)) != NULL; i++) {
            fprintf(out, "%s%s", i ? " " : "", name);
        }
    } else if (strcmp(o->name, "set") == 0 || strcmp(o->name, "axis") == 0 ||
               strcmp(o->name, "explain") == 0) {
        for (size_t i = 0; i < smrf_param_count(); i++) {
            fprintf(out, "%s%s%s", i ? " " : "", smrf_param_at(i)->key,
                    o->name[0] == 'e' ? "" : "=");
        }
    } else if (strcmp(o->name, "engine") == 0) {
        fputs("systemc direct", out);
    } else if (strcmp(o->name, "threads") == 0) {
        fputs("auto 1 2 4 8", out);
    } else if (strcmp(o->name, "runner") == 0) {
        fputs("local slurm", out);
    } else if (strcmp(o->name, "size") == 0) {
        fputs("small medium large", out);
    } else if (strcmp(o->arg, "PART") == 0) {
        fputs("gpu sm subcore bank", out);
    } else {
        for (const char *c = strchr(o->arg, '|') ? o->arg : ""; *c; c++) {
            fputc(*c == '|' ? ' ' : *c, out);
        }
    }
}

static void bash_word_(void *ctx, const struct argp_option *o)
{
    if (is_option_(o)) {
        fprintf(ctx, " --%s%s", o->name, o->arg ? "=" : "");
    }
}

static void bash_values_(void *ctx, const struct argp_option *o)
{
    FILE *out = ctx;
    if (!is_option_(o) || !o->arg) {
        return;
    }
    fprintf(out, "        --%s", o->name);
    if (is_letter_(o)) {
        fprintf(out, "|-%c", o->key);
    }
    fputs(") words='", out);
    values_(out, o);
    fputs("' files=1 ;;\n", out);
}

static void command_words_(FILE *out)
{
    for (size_t i = 0; i < COMMANDS; i++) {
        fprintf(out, "%s%s", i ? " " : "", commands[i].name);
    }
}

static void bash_(FILE *out)
{
    fputs("# bash completion for smrf: source it, or put it into bash-completion's folder\n"
          "_smrf()\n{\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    local command=${COMP_WORDS[1]} words='' files=''\n"
          "    COMPREPLY=()\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "        COMPREPLY=($(compgen -W '",
          out);
    command_words_(out);
    fputs(" help --help --version --explain' -- \"$cur\"))\n        return\n    fi\n"
          "    if [ \"$cur\" = = ]; then\n        cur=\n"
          "    elif [ \"$prev\" = = ]; then\n        prev=${COMP_WORDS[COMP_CWORD-2]}\n    fi\n"
          "    case $command in\n    help)\n        words='--man --completion ",
          out);
    command_words_(out);
    fputs("'\n        ;;\n    list)\n        words='presets mechanisms options statistics stalls "
          "energy --all'\n"
          "        ;;\n",
          out);
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i].name, "list") == 0) {
            continue;
        }
        fprintf(out, "    %s)\n        case $prev in\n", commands[i].name);
        each_(commands[i].argp, bash_values_, out);
        fputs("        *) words='--help --usage", out);
        each_(commands[i].argp, bash_word_, out);
        fputs("' ;;\n        esac\n        ;;\n", out);
    }
    fputs("    esac\n"
          "    if [ -z \"$files\" ] && [ \"${cur#-}\" = \"$cur\" ] && [ \"$command\" != help ] &&\n"
          "       [ \"$command\" != list ]; then\n        words=\n    fi\n"
          "    if [ -n \"$words\" ]; then\n"
          "        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
          "        case ${COMPREPLY[0]} in *=) compopt -o nospace 2>/dev/null ;; esac\n"
          "    else\n        compopt -o filenames 2>/dev/null\n"
          "        COMPREPLY=($(compgen -f -- \"$cur\"))\n    fi\n}\n"
          "complete -F _smrf smrf\n",
          out);
}

/* Within '..' of an argument of _arguments. */
static void zsh_text_(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'') {
            fputs("'\\''", out);
        } else if (strchr("[]:\\", *text)) {
            fprintf(out, "\\%c", *text);
        } else {
            fputc(*text, out);
        }
    }
}

static void zsh_option_(void *ctx, const struct argp_option *o)
{
    FILE *out = ctx;
    if (!is_option_(o)) {
        return;
    }
    for (int letter = 0; letter <= (is_letter_(o) ? 1 : 0); letter++) {
        fputs("            '*", out);
        if (letter) {
            fprintf(out, "-%c%s[", o->key, o->arg ? "+" : "");
        } else {
            fprintf(out, "--%s%s[", o->name, o->arg ? "=" : "");
        }
        zsh_text_(out, o->doc ? o->doc : "");
        fputc(']', out);
        if (o->arg) {
            char words[16384] = "";
            FILE *text = fmemopen(words, sizeof words, "w");
            if (text) {
                values_(text, o);
                fclose(text);
            }
            fputc(':', out);
            zsh_text_(out, o->arg);
            const size_t length = strlen(words);
            const bool open = length && words[length - 1] == '='; /* a value follows: no blank */
            fprintf(out, !length ? ":_files" : open ? ":{compadd -S \"\" -- %s}" : ":(%s)", words);
        }
        fputs("' \\\n", out);
    }
}

static void zsh_(FILE *out)
{
    fputs("#compdef smrf\n# zsh completion for smrf: put it as _smrf into a folder of $fpath\n"
          "_smrf() {\n    if (( CURRENT == 2 )); then\n        compadd ",
          out);
    command_words_(out);
    fputs(
        " help -- --help --version --explain\n        return\n    fi\n    local command=$words[2]\n"
        "    shift words\n    (( CURRENT-- ))\n    case $command in\n"
        "    help) compadd ",
        out);
    command_words_(out);
    fputs(
        " ;;\n    list) compadd presets mechanisms options statistics stalls energy -- --all ;;\n",
        out);
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i].name, "list") != 0) {
            fprintf(out, "    %s)\n        _arguments \\\n", commands[i].name);
            each_(commands[i].argp, zsh_option_, out);
            fputs("            '*:trace or file:_files'\n        ;;\n", out);
        }
    }
    fputs("    esac\n}\n_smrf \"$@\"\n", out);
}

int smrf_cli_completion(const char *shell, FILE *out)
{
    if (strcmp(shell, "bash") == 0) {
        bash_(out);
    } else if (strcmp(shell, "zsh") == 0) {
        zsh_(out);
    } else {
        smrf_cli_error("smrf: --completion is for bash or zsh, not '%s'", shell);
        return SMRF_EXIT_USAGE;
    }
    return SMRF_EXIT_OK;
}
