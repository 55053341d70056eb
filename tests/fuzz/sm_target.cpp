// SPDX-License-Identifier: Apache-2.0
// Whole machines: the input's bytes choose a preset, a mechanism, values of parameters and a
// program, which runs under the value oracle, the conservation laws and the watchdog.
#include "fuzz.h"

#include "platform/config/config.h"
#include "platform/platform.h"

#include <algorithm>
#include <cstring>

namespace
{

// Bytes in order, then zeros.
class bytes
{
  public:
    bytes(const uint8_t *data, size_t size) : at_(data), end_(data + size) {}
    unsigned next()
    {
        return at_ < end_ ? *at_++ : 0;
    }
    unsigned below(unsigned n)
    {
        return (next() << 8 | next()) % n;
    }
    bool left() const
    {
        return at_ < end_;
    }

  private:
    const uint8_t *at_, *end_;
};

std::string reg(bytes *in)
{
    return "R" + std::to_string(in->below(5) == 0 ? 255 : in->below(24));
}

// "1 0x7f0000001000 4": a base and a stride from lane to lane.
std::string addresses(bytes *in, const char *space)
{
    static const int strides[] = {4, 0, 4, 32, 128, -4, 4, 260};
    char text[64];
    std::snprintf(text, sizeof text, " 4 1 %s%04x %d 0", space, in->below(4096) * 4 + 0x2000,
                  strides[in->below(8)]);
    return text;
}

std::string instruction(bytes *in)
{
    static const char *const alu[] = {"FFMA",  "IADD3",     "MUFU.RCP",      "DADD",
                                      "HFMA2", "IMAD.WIDE", "HMMA.1688.F32", "SHFL.IDX",
                                      "MOV",   "I2F",       "POPC",          "FSETP.GT.AND"};
    static const char *const global = "0x7f000000", *const shared = "0x0000";
    static const unsigned long masks[] = {0xffffffff, 0xffffffff, 0x1, 0xffff0000, 0x55555555, 0};
    char mask[16];
    std::snprintf(mask, sizeof mask, "%08lx ", masks[in->below(6)]);
    switch (in->below(16)) {
    case 0:
    case 1:
        return mask + ("1 " + reg(in)) + " LDG.E 1 " + reg(in) + addresses(in, global);
    case 2:
        return mask + ("0 STG.E 2 " + reg(in)) + " " + reg(in) + addresses(in, global);
    case 3:
        return mask + ("1 " + reg(in)) + " LDS 1 " + reg(in) + addresses(in, shared);
    case 4:
        return mask + ("0 STS 2 " + reg(in)) + " " + reg(in) + addresses(in, shared);
    case 5:
        return mask + ("0 RED.E.ADD.STRONG.GPU 2 " + reg(in)) + " " + reg(in) +
               addresses(in, global);
    case 6:
        return mask + ("1 " + reg(in)) + " ATOMG.ADD 2 " + reg(in) + " " + reg(in) +
               addresses(in, global);
    case 7:
        return std::string("ffffffff 0 ") +
               (in->below(2) ? "BAR.SYNC 0 0 0" : "MEMBAR.SC.GPU 0 0 0");
    case 8:
        return std::string(mask) + "0 BRA 0 0 0";
    default:
        break;
    }
    std::string text = mask, sources;
    const unsigned n = in->below(4);
    const char *name = alu[in->below(sizeof alu / sizeof *alu)];
    text += in->below(8) ? "1 " + reg(in) + " " : std::string("0 ");
    for (unsigned i = 0; i < n; i++) {
        sources += " " + reg(in);
    }
    return text + name + " " + std::to_string(n) + sources + " 0 0";
}

std::string program(bytes *in)
{
    const unsigned blocks = 1 + in->below(3), warps = 1 + in->below(6), repeat = 1 + in->below(3);
    std::string body, all;
    unsigned pc = 0;
    char text[32];
    for (unsigned n = 0; in->left() && n < 60; n++, pc += 16) {
        std::snprintf(text, sizeof text, "%04x ", pc);
        body += text + instruction(in) + "\n";
    }
    const unsigned length = pc / 16 * repeat + 1;
    all = "-kernel name = k\n-kernel id = 1\n-grid dim = (" + std::to_string(blocks) +
          ",1,1)\n-block dim = (" + std::to_string(warps * 32) +
          ",1,1)\n-shmem = 1024\n-nregs = 24\n-binary version = 75\n-cuda stream id = 0\n"
          "-shmem base_addr = 0x00007f5e00000000\n-local mem base_addr = 0x00007f5ddd000000\n"
          "-nvbit version = 1.7.4\n-accelsim tracer version = 5\n-enable lineinfo = 0\n\n";
    for (unsigned b = 0; b < blocks; b++) {
        all += "#BEGIN_TB\n\nthread block = " + std::to_string(b) + ",0,0\n";
        for (unsigned w = 0; w < warps; w++) {
            all += "\nwarp = " + std::to_string(w) + "\ninsts = " + std::to_string(length) + "\n";
            for (unsigned r = 0; r < repeat; r++) {
                all += body;
            }
            std::snprintf(text, sizeof text, "%04x ", pc);
            all += std::string(text) + "ffffffff 0 EXIT 0 0 0\n";
        }
        all += "\n#END_TB\n\n";
    }
    return all;
}

// A parameter at its least, its most or a value between. What it could not be checked with, or what
// only makes it long or large, is left alone.
void change(smrf_platform *p, bytes *in)
{
    static const char *const fixed[] = {"sim.check", "sim.watchdog", "gpu.sms",
                                        "gpu.launch_latency", "l2.sets"};
    const smrf_param *info = smrf_param_at(in->below(unsigned(smrf_param_count())));
    const unsigned how = in->below(3), some = in->next() << 8 | in->next();
    if (std::any_of(std::begin(fixed), std::end(fixed),
                    [&](const char *key) { return std::strcmp(key, info->key) == 0; }) ||
        smrf_param_type(info) == SMRF_PARAM_KBSET) {
        return;
    }
    const uint64_t span = uint64_t(info->max) - info->min;
    const uint64_t value = how == 0   ? info->min
                           : how == 1 ? info->max
                                      : info->min + (span < 64 ? some % (span + 1) : some % 64);
    const char *name = smrf_param_type(info) == SMRF_PARAM_ENUM
                           ? smrf_param_enum_name(info, uint32_t(value))
                           : nullptr;
    const std::string text =
        std::string(info->key) + "=" + (name != nullptr ? name : std::to_string(value));
    (void)smrf_platform_set(p, text.c_str());
}

// SMRF_FUZZ_TELL=1: the machine and the trace that the input stands for, to replay them.
void tell(const smrf_platform *p, const char *mechanism, const std::string &text)
{
    if (std::getenv("SMRF_FUZZ_TELL") == nullptr) {
        return;
    }
    std::printf("# mechanism %s\n", mechanism);
    const char *key;
    char value[256];
    for (size_t i = 0; smrf_platform_config_at(p, i, &key, value, sizeof value) == 0; i++) {
        std::printf("%s: %s\n", key, value);
    }
    std::printf("---\n%s", text.c_str());
    std::fflush(stdout);
}

} // namespace

extern "C" int sc_main(int, char *[])
{
    return 0; // SystemC's library wants one
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const mechanisms[] = {
        "baseline", "malekeh-long", "malekeh-short", "malekeh-private", "gto-lru",
        "bow-long", "bow-short",    "rfc",           "rfc-software",    "ltrf"};
    bytes in(data, size);
    smrf_platform *p = nullptr;
    FUZZ_DEMAND(smrf_platform_create(&p) == 0);
    (void)smrf_platform_preset(p, smrf_preset_name(in.below(unsigned(smrf_preset_count()))));
    const char *const mechanism = mechanisms[in.below(10)];
    (void)smrf_platform_mechanism(p, mechanism);
    (void)smrf_platform_set(p, "gpu.sms=2");
    (void)smrf_platform_set(p, "gpu.launch_latency=0");
    for (unsigned n = in.below(12); n > 0; n--) {
        change(p, &in);
    }
    const std::string text = program(&in);
    tell(p, mechanism, text);
    const memory_file file(text.data(), text.size());
    FUZZ_DEMAND(smrf_platform_add_trace(p, file.path()) == 0);
    (void)smrf_platform_engine(p, "direct");
    if (smrf_platform_build(p) == 0) { // the configuration may be refused
        const int rc = smrf_platform_run(p, 3000000);
        if (rc < 0) {
            std::fprintf(stderr, "%s\n", smrf_platform_error(p));
        }
        FUZZ_DEMAND(rc == SMRF_RUN_DONE || rc == SMRF_RUN_MORE ||
                    rc == SMRF_ERR_LIMIT); // a block that fits no SM
    }
    smrf_platform_destroy(p);
    return 0;
}
