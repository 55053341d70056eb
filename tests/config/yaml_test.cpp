// SPDX-License-Identifier: Apache-2.0
// Configuration files in YAML: forms of keys and values, and errors with file and line.
#include "platform/config/config.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

namespace
{

smrf_config defaults()
{
    smrf_config cfg;
    smrf_config_default(&cfg);
    return cfg;
}

struct Outcome {
    int rc;
    smrf_config cfg;
    std::string error;
};

Outcome load(const std::string &text)
{
    Outcome o = {0, defaults(), ""};
    smrf_config_error err = {};
    o.rc = smrf_config_load_text(&o.cfg, "my.yaml", text.data(), text.size(), &err);
    o.error = err.text;
    return o;
}

TEST(Yaml, NestedFlatAndInlineFormsAreTheSame)
{
    for (const char *text :
         {"rf:\n  banks: 4\n  collectors: 3\n", "rf.banks: 4\nrf.collectors: 3\n",
          "rf: {banks: 4, collectors: 3}\n", "{rf.banks: 4, rf: {collectors: 3}}",
          "---\n# remark\nrf.banks: \"4\"\nrf:\n  collectors: '3'\n...\n",
          "description: a test\nrf: {banks: 0x4, collectors: 3}\n"}) {
        Outcome o = load(text);
        ASSERT_EQ(o.rc, SMRF_OK) << text << o.error;
        smrf_config expected = defaults();
        expected.rf.banks = 4;
        expected.rf.collectors = 3;
        EXPECT_EQ(std::memcmp(&o.cfg, &expected, sizeof expected), 0) << text;
    }
}

TEST(Yaml, ValuesOfEveryKind)
{
    Outcome o = load("rf.rz_is_register: true\nissue.scheduler: lrr\nsm.shared_bytes: 48K\n"
                     "l1d:\n  carveouts: [8, 16]\n");
    ASSERT_EQ(o.rc, SMRF_OK) << o.error;
    EXPECT_EQ(o.cfg.rf.rz_is_register, 1u);
    EXPECT_EQ(o.cfg.issue.scheduler, uint32_t{SMRF_SCHED_LRR});
    EXPECT_EQ(o.cfg.sm.shared_bytes, 49152u);
    EXPECT_EQ(o.cfg.l1d.carveouts, 1u << 2 | 1u << 4);
    o = load("l1d.carveouts:\n  - 8\n  - 16\n");
    ASSERT_EQ(o.rc, SMRF_OK) << o.error;
    EXPECT_EQ(o.cfg.l1d.carveouts, 1u << 2 | 1u << 4);
    o = load("l1d.carveouts: 8,16\n");
    EXPECT_EQ(o.cfg.l1d.carveouts, 1u << 2 | 1u << 4);
    o = load("l1d.carveouts: []\n");
    EXPECT_EQ(o.cfg.l1d.carveouts, 0u);
}

TEST(Yaml, EmptyFilesChangeNothing)
{
    for (const char *text : {"", "\n", "# only a remark\n", "---\n", "---\n...\n", "{}"}) {
        Outcome o = load(text);
        EXPECT_EQ(o.rc, SMRF_OK) << o.error;
        smrf_config expected = defaults();
        EXPECT_EQ(std::memcmp(&o.cfg, &expected, sizeof expected), 0);
    }
}

TEST(Yaml, ErrorsCiteFileAndLineAndChangeNothing)
{
    const std::string deep = "a: {b: {c: {d: {e: 1}}}}\n", wide(200, 'k'), tall(300, '1');
    const std::pair<std::string, std::string> cases[] = {
        {"rf:\n  banks: 4\n  bank: 2\n",
         "my.yaml:3: unknown key 'rf.bank'; did you mean rf.banks?"},
        {"# x\n\nrf.banks: 99\n",
         "my.yaml:3: rf.banks: 99 is out of range, expected 1 to 16 banks/sub-core"},
        {"rf:\n  banks: 4\nrf.banks: 8\n",
         "my.yaml:3: rf.banks is given twice, first on line 2; keep one"},
        {"description: a\ndescription: b\n",
         "my.yaml:2: description is given twice, first on line 1; keep one"},
        {"rf.banks:\n", "my.yaml:1: rf.banks has no value"},
        {"rf:\n", "my.yaml:1: rf is a section, not a key; a key is, for instance, rf.banks"},
        {"rf.banks: [2]\n", "my.yaml:1: rf.banks: '[2]' is not a number (decimal or 0x), expected "
                            "1 to 16 banks/sub-core"},
        {"l1d.carveouts: [[8]]\n", "my.yaml:1: a list may only hold plain values"},
        {"rf.banks: {a: 2}\n", "my.yaml:1: unknown key 'rf.banks.a'; did you mean rf.banks?"},
        {"rf.banks: &b 2\nrf.collectors: *b\n",
         "my.yaml:2: anchors and aliases are not supported here"},
        {"[a]: 2\n", "my.yaml:1: a key must be plain text"},
        {"- rf.banks\n", "my.yaml:1: expected lines of the form key: value"},
        {"\nrf.banks\n", "my.yaml:2: expected lines of the form key: value"},
        {"rf.banks: 2\n---\nrf.banks: 2\n", "my.yaml:2: a second document; a file holds one"},
        {deep, "my.yaml:1: sections are nested too deeply"},
        {wide + ": 1\n", "my.yaml:1: text is too long for a key or a value"},
        {"rf.banks: " + tall + "\n", "my.yaml:1: text is too long for a key or a value"},
        {"rf.banks: \"2\\0\"\n", "my.yaml:1: text holds a NUL character"},
        {"rf.banks: 2\nrf: {steps: 2\n", "my.yaml:3: not valid YAML: did not find expected ',' or "
                                         "'}', while parsing a flow mapping"},
        {"rf.banks: 2\n\trf.steps: 2\n",
         "my.yaml:2: not valid YAML: found a tab character that violates indentation, while "
         "scanning a plain scalar"}};
    for (const auto &[text, message] : cases) {
        Outcome o = load("" + text);
        EXPECT_LT(o.rc, 0) << text;
        EXPECT_EQ(o.error, message);
        smrf_config expected = defaults();
        EXPECT_EQ(std::memcmp(&o.cfg, &expected, sizeof expected), 0) << text;
    }
}

TEST(Yaml, BytesThatAreNoTextAreAnErrorWithTheFile)
{
    for (const std::string &text : {std::string("rf.banks: \xff\xfe\n"), std::string("a\0b", 3)}) {
        Outcome o = load(text);
        EXPECT_EQ(o.rc, SMRF_ERR_FORMAT);
        EXPECT_EQ(o.error.find("my.yaml:"), 0u) << o.error;
    }
}

TEST(Yaml, ListsThatAreTooLongAreRefused)
{
    std::string text = "l1d.carveouts: [";
    for (int i = 0; i < 200; i++) {
        text += "8, ";
    }
    Outcome o = load(text + "8]\n");
    EXPECT_EQ(o.rc, SMRF_ERR_FORMAT);
    EXPECT_EQ(o.error, "my.yaml:1: list is too long");
}

class ConfigFile : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        int fd = mkstemp(path_);
        ASSERT_GE(fd, 0);
        close(fd);
    }
    void TearDown() override
    {
        std::remove(path_);
    }
    void write(const std::string &text)
    {
        FILE *file = std::fopen(path_, "wb");
        ASSERT_NE(file, nullptr);
        std::fwrite(text.data(), 1, text.size(), file);
        std::fclose(file);
    }
    char path_[32] = "/tmp/smrf-config-XXXXXX";
};

TEST_F(ConfigFile, IsReadAndItsNameIsInMessages)
{
    write("rf.banks: 8\n");
    smrf_config cfg = defaults();
    smrf_config_error err;
    ASSERT_EQ(smrf_config_load_file(&cfg, path_, &err), SMRF_OK) << err.text;
    EXPECT_EQ(cfg.rf.banks, 8u);
    write("\nrf.banks: x\n");
    EXPECT_EQ(smrf_config_load_file(&cfg, path_, &err), SMRF_ERR_INVAL);
    EXPECT_EQ(std::string(err.text).find(std::string(path_) + ":2: rf.banks: 'x'"), 0u) << err.text;
    EXPECT_EQ(cfg.rf.banks, 8u);
}

TEST_F(ConfigFile, MissingUnreadableAndHugeFilesAreErrors)
{
    smrf_config cfg = defaults();
    smrf_config_error err;
    EXPECT_EQ(smrf_config_load_file(&cfg, "/nonexistent.yaml", &err), SMRF_ERR_IO);
    EXPECT_STREQ(err.text, "/nonexistent.yaml: cannot open: No such file or directory");
    EXPECT_EQ(smrf_config_load_file(&cfg, "/tmp", &err), SMRF_ERR_IO);
    EXPECT_STREQ(err.text, "/tmp: cannot read: it is a folder");
    write(std::string((1u << 20) + 1, '#'));
    EXPECT_EQ(smrf_config_load_file(&cfg, path_, &err), SMRF_ERR_LIMIT);
    EXPECT_EQ(std::string(err.text),
              std::string(path_) + ": is larger than 1048576 bytes; is it the file that you mean?");
    write(std::string(1u << 20, '#'));
    EXPECT_EQ(smrf_config_load_file(&cfg, path_, &err), SMRF_OK) << err.text;
}

} // namespace
