// SPDX-License-Identifier: Apache-2.0
// For the platform's tests: folders that vanish, small traces written by hand, and the program run
// as a process of its own.
#ifndef SMRF_TEST_PLATFORM_FILES_H
#define SMRF_TEST_PLATFORM_FILES_H

#include "temporary_folder.h"

#include <gtest/gtest.h>
#include <jansson.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <vector>

namespace smrf_test
{

namespace fs = std::filesystem;

inline void write_file(const std::string &path, const std::string &text)
{
    std::ofstream(path, std::ios::binary) << text;
}

inline std::string read_file(const std::string &path)
{
    std::ifstream in(path, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

// A launch whose every warp runs `body` lines (pc left out) and then EXIT.
struct launch_shape {
    unsigned blocks = 2, warps = 2;
    std::vector<std::string> body;
    unsigned repeat = 1; // of the body
};

// A load, two dependent operations and a store of what came of it.
inline std::vector<std::string> small_body()
{
    return {"ffffffff 1 R4 LDG.E 1 R2 4 1 0x7f0000000000 4 0", "ffffffff 1 R5 FFMA 3 R4 R4 R6 0 0",
            "ffffffff 1 R6 IADD3 2 R5 R7 0 0", "ffffffff 0 STG.E 2 R2 R6 4 1 0x7f0000010000 4 0"};
}
// Warp instructions of a launch of this shape.
inline unsigned long instructions(const launch_shape &s)
{
    return static_cast<unsigned long>(s.blocks) * s.warps * (s.body.size() * s.repeat + 1);
}

inline std::string kernel_text(const launch_shape &shape, unsigned id)
{
    std::ostringstream t;
    t << "-kernel name = _Z4testPf\n-kernel id = " << id << "\n-grid dim = (" << shape.blocks
      << ",1,1)\n-block dim = (" << shape.warps * 32
      << ",1,1)\n-shmem = 0\n-nregs = 16\n-binary version = 75\n-cuda stream id = 0\n"
         "-shmem base_addr = 0x00007f5e00000000\n-local mem base_addr = 0x00007f5ddd000000\n"
         "-nvbit version = 1.7.4\n-accelsim tracer version = 5\n-enable lineinfo = 0\n\n"
         "#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] "
         "mem_width [adrrescompress?] [mem_addresses] immediate\n";
    for (unsigned b = 0; b < shape.blocks; b++) {
        t << "\n#BEGIN_TB\n\nthread block = " << b << ",0,0\n";
        for (unsigned w = 0; w < shape.warps; w++) {
            t << "\nwarp = " << w << "\ninsts = " << shape.body.size() * shape.repeat + 1 << "\n";
            unsigned pc = 0;
            char text[16];
            for (unsigned r = 0; r < shape.repeat; r++) {
                for (const auto &line : shape.body) {
                    std::snprintf(text, sizeof text, "%04x ", pc);
                    t << text << line << "\n";
                    pc += 16;
                }
            }
            std::snprintf(text, sizeof text, "%04x ", pc);
            t << text << "ffffffff 0 EXIT 0 0 0\n";
        }
        t << "\n#END_TB\n";
    }
    return t.str();
}

// A trace of `launches` equal launches; returns its folder.
inline std::string write_trace(const temporary_folder &folder, const std::string &name,
                               const launch_shape &shape, unsigned launches = 1)
{
    std::string dir = folder / name;
    fs::create_directories(dir);
    std::string list;
    for (unsigned i = 1; i <= launches; i++) {
        std::string file = "kernel-" + std::to_string(i) + ".traceg";
        write_file(dir + "/" + file, kernel_text(shape, i));
        list += file + "\n";
    }
    write_file(dir + "/kernelslist.g", list);
    return dir;
}

inline launch_shape small_launch()
{
    launch_shape s;
    s.body = small_body();
    return s;
}

inline std::string real_traces()
{
    const char *given = std::getenv("SMRF_REAL_TRACES");
    const char *source = std::getenv("SMRF_SOURCE_DIR");
    if (given != nullptr && *given != '\0') {
        return given;
    }
    return source ? std::string(source) + "/../shared/traces" : std::string();
}

struct outcome {
    int status; // exit status, or 128 + signal
    std::string out, err;
};

// build/<name>, beside build/tests/<this test>, quoted for a shell.
inline std::string built(const std::string &name)
{
    return "'" + (fs::read_symlink("/proc/self/exe").parent_path().parent_path() / name).string() +
           "'";
}

inline std::string program()
{
    return built("smrf");
}

// Run the program through a shell: `arguments` as one would type them.
inline outcome smrf(const temporary_folder &folder, const std::string &arguments)
{
    std::string out = folder / "stdout", err = folder / "stderr";
    std::string command = program() + " " + arguments + " >" + out + " 2>" + err + " </dev/null";
    int status = std::system(command.c_str());
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return {code, read_file(out), read_file(err)};
}

// A program of the suite, traced with the values of its registers; "" after a failure.
inline std::string trace_with_values(const temporary_folder &folder,
                                     const std::string &suite_program)
{
    const std::string trace = folder / "t";
    const outcome traced = smrf(folder, "trace -q --format v6 -o " + trace + " " + suite_program);
    EXPECT_EQ(0, traced.status) << traced.err;
    return traced.status == 0 ? trace : "";
}

// A JSON document; counts and ratios by dotted path.
class document
{
  public:
    explicit document(const std::string &text)
    {
        json_error_t error;
        root_ = json_loads(text.c_str(), 0, &error);
        if (root_ == nullptr) {
            ADD_FAILURE() << "not JSON: " << error.text << " at line " << error.line;
        }
    }
    ~document()
    {
        json_decref(root_);
    }
    document(const document &) = delete;
    document &operator=(const document &) = delete;

    json_t *root() const
    {
        return root_;
    }
    json_t *at(const std::string &path) const
    {
        return at(root_, path);
    }
    static json_t *at(json_t *from, const std::string &path)
    {
        std::stringstream parts(path);
        std::string key;
        while (from != nullptr && std::getline(parts, key, '.')) {
            from = json_object_get(from, key.c_str());
        }
        return from;
    }
    long long count(const std::string &path) const
    {
        json_t *value = at(path);
        EXPECT_TRUE(json_is_integer(value)) << path;
        return json_integer_value(value);
    }
    std::string text(const std::string &path) const
    {
        json_t *value = at(path);
        EXPECT_TRUE(json_is_string(value)) << path;
        return json_is_string(value) ? json_string_value(value) : "";
    }
    // The document's text without its part `sim`.
    std::string without_sim() const
    {
        json_object_del(root_, "sim");
        char *dumped = json_dumps(root_, JSON_REAL_PRECISION(17));
        std::string result = dumped ? dumped : "";
        std::free(dumped);
        return result;
    }

  private:
    json_t *root_;
};

} // namespace smrf_test

#endif
