// SPDX-License-Identifier: Apache-2.0
// Every kind of file an output may be named after.
#include "models/common/smrf_err.h"
#include "tests/support/temporary_folder.h"
#include "traces/files/output_file.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <thread>

namespace fs = std::filesystem;
using smrf_test::temporary_folder;

namespace
{

std::string contents(const std::string &path)
{
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

void put(const std::string &path, const std::string &text)
{
    std::ofstream(path, std::ios::binary) << text;
}

size_t entries(const temporary_folder &folder)
{
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()));
}

// Open, write, close. Returns the first error; the text is kept.
class output_file : public ::testing::Test
{
  protected:
    int write(const std::string &path, const std::string &bytes, bool good = true)
    {
        smrf_output out;
        int err = smrf_output_open(&out, path.c_str(), text, sizeof text);
        if (err == SMRF_OK) {
            std::fputs(bytes.c_str(), out.file);
            err = smrf_output_close(&out, good, text, sizeof text);
        }
        return err;
    }
    temporary_folder folder;
    char text[512] = "";
};

TEST_F(output_file, AppearsUnderItsNameOnlyWhenComplete)
{
    std::string path = folder / "r.json";
    smrf_output out;
    ASSERT_EQ(SMRF_OK, smrf_output_open(&out, path.c_str(), text, sizeof text)) << text;
    std::fputs("half", out.file);
    std::fflush(out.file);
    EXPECT_FALSE(fs::exists(path));
    ASSERT_EQ(SMRF_OK, smrf_output_close(&out, false, text, sizeof text));
    EXPECT_TRUE(fs::is_empty(folder.path())) << "given up: nothing stays";

    ASSERT_EQ(SMRF_OK, write(path, "whole")) << text;
    EXPECT_EQ("whole", contents(path));
    EXPECT_EQ(1u, entries(folder));
}

TEST_F(output_file, KeepsTheOldFileUntilTheNewOneIsComplete)
{
    std::string path = folder / "r.json";
    put(path, "old");
    smrf_output out;
    ASSERT_EQ(SMRF_OK, smrf_output_open(&out, path.c_str(), text, sizeof text));
    std::fputs("new", out.file);
    EXPECT_EQ("old", contents(path));
    ASSERT_EQ(SMRF_OK, smrf_output_close(&out, true, text, sizeof text));
    EXPECT_EQ("new", contents(path));
}

TEST_F(output_file, KeepsTheRightsOfTheFileThatItReplaces)
{
    std::string path = folder / "r.json";
    put(path, "old");
    fs::permissions(path, fs::perms(0640));
    ASSERT_EQ(SMRF_OK, write(path, "new")) << text;
    EXPECT_EQ(fs::perms(0640), fs::status(path).permissions());
}

TEST_F(output_file, TwoOfOneNameDoNotMeet)
{
    std::string path = folder / "r.json";
    smrf_output a, b;
    ASSERT_EQ(SMRF_OK, smrf_output_open(&a, path.c_str(), text, sizeof text));
    ASSERT_EQ(SMRF_OK, smrf_output_open(&b, path.c_str(), text, sizeof text));
    std::fputs("first, and longer", a.file);
    std::fputs("second", b.file);
    ASSERT_EQ(SMRF_OK, smrf_output_close(&a, true, text, sizeof text));
    EXPECT_EQ("first, and longer", contents(path));
    ASSERT_EQ(SMRF_OK, smrf_output_close(&b, true, text, sizeof text));
    EXPECT_EQ("second", contents(path));
    EXPECT_EQ(1u, entries(folder));
}

TEST_F(output_file, ANameAsLongAsNamesMayBe)
{
    std::string path = folder / std::string(255, 'n');
    ASSERT_EQ(SMRF_OK, write(path, "whole")) << text;
    EXPECT_EQ("whole", contents(path));
}

TEST_F(output_file, NamesTheFileThatCannotBeWritten)
{
    EXPECT_EQ(SMRF_ERR_IO, write("/nonexistent/r.json", ""));
    EXPECT_NE(nullptr, std::strstr(text, "/nonexistent/r.json")) << text;
    EXPECT_EQ(SMRF_ERR_IO, smrf_output_probe("/nonexistent/r.json", text, sizeof text));
    EXPECT_EQ(SMRF_OK, smrf_output_probe("-", text, sizeof text));
    EXPECT_EQ(SMRF_OK, smrf_output_probe("/dev/null", text, sizeof text));
    EXPECT_EQ(SMRF_ERR_IO, smrf_output_probe("/tmp", text, sizeof text));
}

// ---- links --------------------------------------------------------------------------------------

TEST_F(output_file, ASymbolicLinkStaysAndItsTargetIsReplaced)
{
    fs::create_directory(folder / "far");
    put(folder / "far/target", "old");
    fs::create_symlink("far/target", folder / "middle");
    fs::create_symlink(folder / "middle", folder / "link");
    ASSERT_EQ(SMRF_OK, write(folder / "link", "new")) << text;
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_TRUE(fs::is_symlink(folder / "middle"));
    EXPECT_EQ("new", contents(folder / "far/target"));
    EXPECT_EQ(3u, entries(folder));
}

TEST_F(output_file, ALinkToNothingMakesItsTarget)
{
    fs::create_symlink("target", folder / "link");
    ASSERT_EQ(SMRF_OK, write(folder / "link", "new")) << text;
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_EQ("new", contents(folder / "target"));
}

TEST_F(output_file, LinksInACircleAreAnError)
{
    fs::create_symlink("b", folder / "a");
    fs::create_symlink("a", folder / "b");
    EXPECT_EQ(SMRF_ERR_IO, write(folder / "a", "new"));
    EXPECT_TRUE(fs::is_symlink(folder / "a"));
}

// Whoever guesses the temporary name gets nothing written through his link.
TEST_F(output_file, LinksThatLieInWaitAreNotFollowed)
{
    put(folder / "victim", "precious");
    for (const char *ending : {".part", ".partial", ".tmp"}) {
        fs::create_symlink("victim", folder / (std::string("out") + ending));
    }
    ASSERT_EQ(SMRF_OK, write(folder / "out", "new")) << text;
    EXPECT_EQ("precious", contents(folder / "victim"));
    EXPECT_EQ("new", contents(folder / "out"));
}

// ---- what is no plain file ----------------------------------------------------------------------

TEST_F(output_file, ADeviceIsWrittenAndStays)
{
    struct stat before, after;
    ASSERT_EQ(0, stat("/dev/null", &before));
    EXPECT_EQ(SMRF_OK, write("/dev/null", "gone")) << text;
    EXPECT_EQ(SMRF_ERR_IO, write("/dev/full", "too much"));
    EXPECT_NE(nullptr, std::strstr(text, "No space left")) << text;
    ASSERT_EQ(0, stat("/dev/null", &after));
    EXPECT_TRUE(S_ISCHR(after.st_mode));
    EXPECT_EQ(before.st_ino, after.st_ino);
}

TEST_F(output_file, APipeIsWrittenAndStays)
{
    std::string path = folder / "pipe", got;
    ASSERT_EQ(0, mkfifo(path.c_str(), 0600));
    std::thread reader([&] { got = contents(path); });
    EXPECT_EQ(SMRF_OK, write(path, "through")) << text;
    reader.join();
    EXPECT_EQ("through", got);
    EXPECT_TRUE(fs::is_fifo(path));
    EXPECT_EQ(1u, entries(folder));
}

TEST_F(output_file, APipeThatNobodyReadsIsRefused)
{
    std::string path = folder / "pipe";
    ASSERT_EQ(0, mkfifo(path.c_str(), 0600));
    EXPECT_EQ(SMRF_ERR_IO, write(path, "never"));
    EXPECT_NE(nullptr, std::strstr(text, "nobody reads the pipe")) << text;
    EXPECT_TRUE(fs::is_fifo(path));
}

TEST_F(output_file, FoldersAndSocketsAreRefused)
{
    EXPECT_EQ(SMRF_ERR_IO, write(folder.path(), "x"));
    EXPECT_NE(nullptr, std::strstr(text, "it is a folder")) << text;
    sockaddr_un name = {};
    name.sun_family = AF_UNIX;
    std::string path = folder / "socket";
    std::strncpy(name.sun_path, path.c_str(), sizeof name.sun_path - 1);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    ASSERT_EQ(0, bind(fd, reinterpret_cast<sockaddr *>(&name), sizeof name));
    EXPECT_EQ(SMRF_ERR_IO, write(path, "x"));
    EXPECT_NE(nullptr, std::strstr(text, "it is a socket")) << text;
    EXPECT_TRUE(fs::is_socket(path));
    close(fd);
}

// The shell's "5>file": the bytes go where the descriptor stands, and nothing is renamed.
TEST_F(output_file, AnOpenDescriptorIsWrittenWhereItStands)
{
    std::string path = folder / "log";
    int fd = open(path.c_str(), O_WRONLY | O_CREAT, 0600);
    ASSERT_EQ(6, ::write(fd, "before", 6));
    std::string name = "/dev/fd/" + std::to_string(fd);
    EXPECT_EQ(SMRF_OK, write(name, " and after")) << text;
    ASSERT_EQ(5, ::write(fd, " end.", 5));
    close(fd);
    EXPECT_EQ("before and after end.", contents(path));
}

// ---- a disk that is full ------------------------------------------------------------------------

TEST_F(output_file, WhatDoesNotFitLeavesTheOldFile)
{
    std::string path = folder / "r.json";
    put(path, "old");
    std::signal(SIGXFSZ, SIG_IGN);
    for (rlim_t room : {0, 1, 4096, 65536, 99999}) {
        struct rlimit all, little;
        ASSERT_EQ(0, getrlimit(RLIMIT_FSIZE, &all));
        little = {room, all.rlim_max};
        ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &little));
        int err = write(path, std::string(100000, 'x'));
        ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &all));
        EXPECT_EQ(SMRF_ERR_IO, err) << room;
        EXPECT_EQ("old", contents(path)) << room;
        EXPECT_EQ(1u, entries(folder)) << room;
    }
}

// ---- which files are one ------------------------------------------------------------------------

TEST_F(output_file, KnowsWhichNamesMeanOneFile)
{
    put(folder / "old", "x");
    fs::create_hard_link(folder / "old", folder / "hard");
    fs::create_symlink("old", folder / "soft");
    fs::create_symlink("new", folder / "dangling");
    fs::create_directory(folder / "sub");
    fs::create_directory_symlink(".", folder / "here");
    const std::pair<const char *, const char *> same[] = {
        {"old", "old"},      {"old", "hard"},     {"old", "soft"},         {"new", "sub/../new"},
        {"new", "dangling"}, {"new", "here/new"}, {"dangling", "here/new"}};
    for (const auto &s : same) {
        EXPECT_TRUE(smrf_output_same((folder / s.first).c_str(), (folder / s.second).c_str()))
            << s.first << " " << s.second;
    }
    EXPECT_FALSE(smrf_output_same((folder / "old").c_str(), (folder / "new").c_str()));
    EXPECT_FALSE(smrf_output_same((folder / "new").c_str(), (folder / "sub/new").c_str()));
    EXPECT_FALSE(smrf_output_same("/dev/null", "/dev/null"));
    EXPECT_TRUE(smrf_output_same("-", "/dev/stdout"));
    EXPECT_FALSE(smrf_output_same("-", (folder / "old").c_str()));
}

} // namespace
