// SPDX-License-Identifier: Apache-2.0
// Mutated files for both parsers: never a crash (meant for the sanitizer build), an error always
// has a text that starts with the file's name, and a failed call changes nothing.
#include "platform/config/config.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>

namespace
{

const char *const kYaml = "description: seed\nrf: {banks: 4, swizzle: on}\nl1d:\n  carveouts: [8, "
                          "16]\n  unified_bytes: 128K\nissue.scheduler: 'lrr'\n# end\n";
const char *const kOptions =
    "# seed\n-gpgpu_n_clusters 30\n-gpgpu_clock_domains 1365:1365.0:1365:3500.5\n"
    "-gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:256:32,16:0,32 # c\n-gpgpu_shmem_option 32,64\n"
    "-gpgpu_scheduler two_level_active:6:0:1\n-gpgpu_num_sched_per_core 4\n"
    "-gpgpu_pipeline_widths 4,4,4,4,4,4,4,4,4,4,8,4,4\n-unknown \"a\n b\"\n"
    "-gpgpu_dram_timing_opt \"nbk=16:CCD=4:\n RRD=12\"\n-specialized_unit_1 1,4,4,4,4,BRA\n"
    "-gpgpu_mem_addr_mapping dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR."
    "RBBBCCCC.BCCSSSSS\n";

class Mutator
{
  public:
    explicit Mutator(unsigned seed) : random_(seed) {}
    std::string operator()(std::string text)
    {
        static const char interesting[] = "\0\n\r\t \"'#-:,;=[]{}&*!|>%@0919xKM.\xff\x80";
        for (size_t n = below(3) + 1; n > 0 && !text.empty(); n--) {
            size_t at = below(text.size()), length = below(text.size() - at) % 20 + 1;
            switch (below(5)) {
            case 0:
                text[at] = static_cast<char>(below(256));
                break;
            case 1:
                text[at] = interesting[below(sizeof interesting - 1)];
                break;
            case 2:
                text.erase(at, length);
                break;
            case 3:
                text.insert(at, text.substr(below(text.size()), length));
                break;
            default:
                text.insert(at,
                            std::string(below(400), interesting[below(sizeof interesting - 1)]));
                break;
            }
        }
        return text;
    }

  private:
    size_t below(size_t bound)
    {
        return std::uniform_int_distribution<size_t>(0, bound - 1)(random_);
    }
    std::mt19937 random_;
};

void count(void *user, const smrf_option_report *report)
{
    ++*static_cast<int *>(user);
    EXPECT_NE(report->reason, nullptr);
    EXPECT_GT(report->line, 0u);
}

template <typename Load> void fuzz(const char *seed, Load load)
{
    smrf_config start;
    smrf_config_default(&start);
    int failed = 0, passed = 0;
    for (unsigned i = 0; i < 20000; i++) {
        std::string text = Mutator(i)(seed);
        smrf_config cfg = start;
        smrf_config_error err = {};
        if (load(&cfg, text, &err) < 0) {
            failed++;
            ASSERT_EQ(std::strncmp(err.text, "f:", 2), 0) << "seed " << i << ": " << err.text;
            ASSERT_EQ(std::memcmp(&cfg, &start, sizeof cfg), 0) << "seed " << i;
        } else {
            passed++;
        }
        for (size_t k = 0; k < smrf_param_count(); k++) {
            const smrf_param *p = smrf_param_at(k);
            uint32_t value = smrf_config_get(&cfg, k);
            ASSERT_TRUE(value >= p->min && value <= p->max) << "seed " << i << " " << p->key;
        }
    }
    EXPECT_GT(failed, 500) << "the mutations are too weak";
    EXPECT_GT(passed, 500) << "the mutations are too strong";
}

TEST(ConfigFuzz, YamlNeverCrashesAndFailsCleanly)
{
    fuzz(kYaml, [](smrf_config *cfg, const std::string &text, smrf_config_error *err) {
        return smrf_config_load_text(cfg, "f", text.data(), text.size(), err);
    });
}

TEST(ConfigFuzz, OptionFilesNeverCrashAndFailCleanly)
{
    fuzz(kOptions, [](smrf_config *cfg, const std::string &text, smrf_config_error *err) {
        int reports = 0;
        return smrf_config_gpgpusim_text(cfg, "f", text.data(), text.size(), count, &reports, err);
    });
}

} // namespace
