// SPDX-License-Identifier: Apache-2.0
// Manual pages and completion: every option of --help stands in each, groff finds nothing to warn
// of, and a shell completes with them.
#include "tests/support/experiment_folder.h"

#include <regex>
#include <set>

namespace
{

using namespace smrf_test;

const char *const commands[] = {"run", "info",  "annotate", "compare", "sweep", "profile",
                                "at",  "study", "list",     "trace",   "cars"};

std::string said(const temporary_folder &folder, const std::string &words)
{
    const outcome o = smrf(folder, words);
    EXPECT_EQ(0, o.status) << words << ": " << o.err;
    return o.out;
}

// "--preset" of "  -p, --preset=P   start from ..".
std::set<std::string> options(const std::string &help)
{
    std::set<std::string> found;
    const std::regex option("(?:^|\\n) {2,6}(?:-., +)?(--[a-z-]+)");
    for (std::sregex_iterator i(help.begin(), help.end(), option), end; i != end; ++i) {
        found.insert((*i)[1]);
    }
    found.erase("--version");
    return found;
}

std::string replaced(std::string text, const std::string &from, const std::string &to)
{
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
        text.replace(at, from.size(), to);
    }
    return text;
}

// The part of a script for a command: up to the next.
std::string part(const std::string &script, const std::string &command)
{
    const size_t at = script.find("    " + command + ")\n");
    EXPECT_NE(std::string::npos, at) << command;
    return script.substr(at, script.find("\n        ;;\n", at) - at);
}

TEST(words, EveryOptionOfHelpStandsInThePageAndInBothCompletions)
{
    temporary_folder folder;
    const std::string bash = said(folder, "help --completion bash");
    const std::string zsh = said(folder, "help --completion zsh");
    size_t count = 0;
    for (const std::string command : commands) {
        const std::string man = replaced(said(folder, "help --man " + command), "\\-", "-");
        for (const std::string &option : options(said(folder, "help " + command))) {
            EXPECT_TRUE(has(man, "\\fB" + option + "\\fR")) << command << " " << option;
            if (command == "list" || option == "--help" || option == "--usage") {
                continue;
            }
            count++;
            EXPECT_TRUE(has(part(bash, command), " " + option)) << command << " " << option;
            EXPECT_TRUE(has(part(zsh, command), "'*" + option)) << command << " " << option;
        }
    }
    EXPECT_GT(count, 100u);
}

TEST(words, GroffHasNothingToWarnOf)
{
    if (std::system("command -v groff >/dev/null") != 0) {
        GTEST_SKIP() << "there is no groff";
    }
    temporary_folder folder;
    for (const std::string command : {"", "run", "compare", "study", "trace", "profile", "cars"}) {
        const std::string page = folder / "page.1", told = folder / "told";
        write_file(page, said(folder, "help --man " + command));
        ASSERT_EQ(0,
                  std::system(
                      ("groff -man -Tutf8 -ww " + page + " >" + told + ".text 2>" + told).c_str()));
        EXPECT_EQ("", read_file(told)) << command;
        EXPECT_GT(read_file(told + ".text").size(), 500u);
    }
}

// What bash offers for a line of which the last word is being typed.
std::set<std::string> offered(const temporary_folder &folder, const std::string &line)
{
    write_file(folder / "try.sh", "source " + (folder / "smrf.bash") + "\nCOMP_WORDS=(" + line +
                                      ")\nCOMP_CWORD=$((${#COMP_WORDS[@]}-1))\n_smrf\n"
                                      "printf '%s\\n' \"${COMPREPLY[@]}\" >" +
                                      (folder / "offered") + "\n");
    EXPECT_EQ(
        0,
        std::system(
            ("cd " + (folder / "") + " && bash " + (folder / "try.sh") + " 2>/dev/null").c_str()));
    std::istringstream in(read_file(folder / "offered"));
    std::set<std::string> words;
    for (std::string word; std::getline(in, word);) {
        words.insert(word);
    }
    words.erase("");
    return words;
}

TEST(words, BashCompletesCommandsOptionsAndValues)
{
    temporary_folder folder;
    write_file(folder / "smrf.bash", said(folder, "help --completion bash"));
    write_file(folder / "my-trace", "");
    using words = std::set<std::string>;
    EXPECT_EQ((words{"profile"}), offered(folder, "smrf pro"));
    EXPECT_EQ((words{"--preset="}), offered(folder, "smrf run --pre"));
    EXPECT_EQ((words{"--fail-below="}), offered(folder, "smrf compare my-trace --f"));
    EXPECT_TRUE(offered(folder, "smrf info --pre").empty());
    EXPECT_EQ((words{"malekeh-long"}), offered(folder, "smrf run -m malekeh-l"));
    EXPECT_EQ((words{"malekeh-long"}), offered(folder, "smrf run --mechanism = malekeh-l"));
    EXPECT_EQ(1u, offered(folder, "smrf run --preset = rtx2060-a").count("rtx2060-accelsim"));
    EXPECT_EQ((words{"rf.swizzle="}), offered(folder, "smrf at --set rf.sw"));
    EXPECT_EQ((words{"on", "off"}), offered(folder, "smrf run --check ''"));
    EXPECT_EQ((words{"mechanisms"}), offered(folder, "smrf list me"));
    EXPECT_EQ((words{"my-trace"}), offered(folder, "smrf run my"));
    EXPECT_EQ((words{"my-trace"}), offered(folder, "smrf run --json my"));
}

// Lines as they are after a tab, in a zsh of its own behind a terminal.
TEST(words, ZshCompletesCommandsOptionsAndValues)
{
    if (std::system("command -v zsh >/dev/null") != 0) {
        GTEST_SKIP() << "there is no zsh";
    }
    temporary_folder folder;
    const std::pair<const char *, const char *> lines[] = {
        {"smrf pro", "smrf profile "},
        {"smrf run --pre", "smrf run --preset="},
        {"smrf compare my-trace --f", "smrf compare my-trace --fail-below="},
        {"smrf run -m malekeh-l", "smrf run -m malekeh-long "},
        {"smrf run --mechanism=malekeh-l", "smrf run --mechanism=malekeh-long "},
        {"smrf run --preset rtx3", "smrf run --preset rtx3070-accelsim "},
        {"smrf at --set rf.sw", "smrf at --set rf.swizzle="},
        {"smrf at -s rf.sw", "smrf at -s rf.swizzle="},
        {"smrf run --check=of", "smrf run --check=off "},
        {"smrf list me", "smrf list mechanisms "},
        {"smrf run my", "smrf run my-trace "},
        {"smrf run --json=my", "smrf run --json=my-trace "},
        {"smrf info --pre", "smrf info --pre"}};
    write_file(folder / "_smrf", said(folder, "help --completion zsh"));
    write_file(folder / "my-trace", "");
    const std::string dir = folder.path();
    std::string script =
        "zmodload zsh/zpty\nzpty shell zsh -f -i\n"
        "zpty -w shell 'cd " +
        dir + "; PROMPT=; fpath=(" + dir +
        " $fpath); autoload -U compinit; "
        "compinit -u -D; tell() { print -r -- \"$BUFFER\" >line.new; mv line.new line; BUFFER=; }; "
        "zle -N tell; bindkey \"^I\" complete-word \"^X\" tell; print >ready'\n"
        "for i in {1..200}; do [[ -s ready ]] && break; sleep 0.05; done\nfor line in";
    for (const auto &line : lines) {
        script += std::string(" '") + line.first + "'";
    }
    script += "; do\n  rm -f line\n  zpty -n -w shell \"$line\"$'\\t\\x18'\n"
              "  for i in {1..100}; do [[ -s line ]] && break; sleep 0.05; done\n"
              "  cat line >>lines\ndone\nzpty -d shell\n";
    write_file(folder / "try.zsh", script);
    ASSERT_EQ(0, std::system(("cd " + dir + " && zsh -f try.zsh").c_str()));
    std::istringstream in(read_file(folder / "lines"));
    for (const auto &[typed, completed] : lines) {
        std::string got;
        EXPECT_TRUE(std::getline(in, got)) << typed;
        EXPECT_EQ(completed, got);
    }
}

TEST(words, AnotherShellOrCommandIsRefused)
{
    temporary_folder folder;
    EXPECT_EQ(2, smrf(folder, "help --completion fish").status);
    EXPECT_EQ(2, smrf(folder, "help --completion").status);
    EXPECT_EQ(2, smrf(folder, "help --man rn").status);
}

} // namespace
