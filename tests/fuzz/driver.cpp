// SPDX-License-Identifier: Apache-2.0
// What stands in for libFuzzer where there is no clang: seeds and their damaged descendants, the
// same ones for the same -seed. Options as libFuzzer's:
//
//   PROGRAM [-runs=N] [-seed=N] [-max_len=BYTES] [-dict=FILE] [-max_total_time=S] [FILE|FOLDER]..
//
// An input at which the program dies, takes more than a second of the processor's time or has made
// the process larger than 1 GB ends it, and is left in the file that the last line names.
#include "fuzz.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/resource.h>
#include <sys/time.h>
#include <vector>

namespace
{

namespace fs = std::filesystem;
using input = std::string;

const long MOST_MB = 1024;
const int MOST_SECONDS = 10; // of processor time: an endless loop, on a busy machine, too

const uint8_t *now_data; // for the signal handler
size_t now_size;

// Leave the input, in a signal handler too.
void leave(const char *what)
{
    char name[64];
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < now_size; i++) {
        hash = (hash ^ now_data[i]) * UINT64_C(0x100000001b3);
    }
    std::snprintf(name, sizeof name, "%s-%016llx", what, static_cast<unsigned long long>(hash));
    std::ofstream(name, std::ios::binary)
        .write(reinterpret_cast<const char *>(now_data), std::streamsize(now_size));
    std::fprintf(stderr, "fuzz: %s at an input of %zu bytes, left in %s\n", what, now_size, name);
}

void on_signal(int number)
{
    std::signal(number, SIG_DFL);
    leave(number == SIGPROF ? "timeout" : "crash");
    std::_Exit(1);
}

class random
{
  public:
    explicit random(uint64_t seed) : state_(seed * UINT64_C(0x9e3779b97f4a7c15) + 1) {}
    size_t below(size_t bound)
    {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return bound == 0 ? 0 : size_t((state_ >> 11) % bound);
    }

  private:
    uint64_t state_;
};

input read_file(const fs::path &path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// Lines name="word" or "word", with \\, \" and \xHH.
std::vector<input> read_dictionary(const std::string &path)
{
    std::vector<input> words;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
        const size_t from = line.find('"'), to = line.rfind('"');
        if (line[0] == '#' || from == std::string::npos || to <= from) {
            continue;
        }
        input word;
        for (size_t i = from + 1; i < to; i++) {
            if (line[i] == '\\' && line[i + 1] == 'x' && i + 3 < to) {
                word += char(std::stoi(line.substr(i + 2, 2), nullptr, 16));
                i += 3;
            } else {
                word += line[i] == '\\' ? line[++i] : line[i];
            }
        }
        words.push_back(word);
    }
    return words;
}

struct fuzzer {
    unsigned long runs = 1000, seconds = 0;
    size_t most = 1 << 16;
    uint64_t seed = 1;
    std::vector<input> seeds, words;

    static const char *number(random *r)
    {
        static const char *const numbers[] = {"0",
                                              "-1",
                                              "1",
                                              "255",
                                              "256",
                                              "65536",
                                              "2147483648",
                                              "1e9",
                                              "4294967296",
                                              "0x",
                                              "nan",
                                              "18446744073709551616",
                                              "99999999999999999999"};
        return numbers[r->below(sizeof numbers / sizeof *numbers)];
    }
    // One damage more.
    void damage(input *s, random *r) const
    {
        const size_t at = r->below(s->size() + 1), length = 1 + r->below(r->below(4) ? 8 : 200);
        const input &other = seeds[r->below(seeds.size())];
        switch (r->below(9)) {
        case 0:
            s->insert(at, 1, char(r->below(256)));
            break;
        case 1:
            s->erase(at, length);
            break;
        case 2:
            if (at < s->size()) {
                (*s)[at] = char((*s)[at] ^ (1 << r->below(8)));
            }
            break;
        case 3:
            s->insert(at, s->substr(r->below(s->size() + 1), length));
            break;
        case 4:
            s->insert(at, other.substr(r->below(other.size() + 1), length));
            break;
        case 5:
            s->insert(at, words.empty() ? input(number(r)) : words[r->below(words.size())]);
            break;
        case 6: { // a number for a number
            const size_t digit = s->find_first_of("0123456789", at);
            if (digit != input::npos) {
                const size_t end = std::min(s->find_first_not_of("0123456789", digit), s->size());
                s->replace(digit, end - digit, number(r));
            }
            break;
        }
        case 7:
            s->insert(at,
                      std::string(r->below(8) ? length : 20 * length, s->empty() ? '[' : (*s)[0]));
            break;
        default:
            if (r->below(16) == 0) {
                s->resize(at);
            } else if (at < s->size()) {
                (*s)[at] = char(r->below(256));
            }
            break;
        }
    }
    // The n-th input: the seeds as they are, then damaged ones.
    input make(unsigned long n) const
    {
        if (n < seeds.size()) {
            return seeds[n];
        }
        random r(seed * 1000003 + n);
        input s = seeds[r.below(seeds.size())];
        for (size_t k = 1 + r.below(8); k > 0; k--) {
            damage(&s, &r);
        }
        s.resize(std::min(s.size(), most));
        return s;
    }
    int run(const char *program) const
    {
        using clock = std::chrono::steady_clock;
        const auto begin = clock::now();
        const auto spent = [&] {
            return std::chrono::duration<double>(clock::now() - begin).count();
        };
        const itimerval watch = {{0, 0}, {MOST_SECONDS, 0}};
        uint64_t inputs = 0, bytes = 0;
        for (unsigned long n = 0; n < runs + seeds.size(); n++) {
            if (seconds != 0 && spent() > double(seconds)) {
                break;
            }
            const input text = make(n);
            // A copy of its own size: whoever reads behind it is seen by the address sanitizer.
            const std::vector<uint8_t> own(text.begin(), text.end());
            now_data = own.data();
            now_size = own.size();
            setitimer(ITIMER_PROF, &watch, nullptr);
            LLVMFuzzerTestOneInput(now_data, now_size);
            rusage use;
            getrusage(RUSAGE_SELF, &use);
            if (use.ru_maxrss / 1024 > MOST_MB) {
                leave("oom");
                return 1;
            }
            inputs++;
            bytes += own.size();
        }
        std::printf("%s: %llu inputs of %llu bytes in %.1f s, no find\n",
                    fs::path(program).filename().c_str(), static_cast<unsigned long long>(inputs),
                    static_cast<unsigned long long>(bytes), spent());
        return 0;
    }
};

} // namespace

int main(int argc, char **argv)
{
    fuzzer f;
    for (int i = 1; i < argc; i++) {
        const std::string word = argv[i];
        const size_t equals = word.find('=');
        const std::string key = word.substr(0, equals),
                          value = equals == std::string::npos ? "" : word.substr(equals + 1);
        if (key == "-runs") {
            f.runs = std::stoul(value);
        } else if (key == "-seed") {
            f.seed = std::stoul(value);
        } else if (key == "-max_len") {
            f.most = std::stoul(value);
        } else if (key == "-max_total_time") {
            f.seconds = std::stoul(value);
        } else if (key == "-dict") {
            f.words = read_dictionary(value);
        } else if (fs::is_directory(word)) {
            std::vector<fs::path> files;
            std::copy(fs::directory_iterator(word), fs::directory_iterator(),
                      std::back_inserter(files));
            std::sort(files.begin(), files.end());
            std::transform(files.begin(), files.end(), std::back_inserter(f.seeds), read_file);
        } else if (word[0] == '-' || !fs::exists(word)) {
            std::fprintf(stderr, "%s: what is '%s'?\n", argv[0], word.c_str());
            return 2;
        } else {
            f.seeds.push_back(read_file(word));
        }
    }
    if (f.seeds.empty()) {
        f.seeds.push_back("");
    }
    for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGPROF}) {
        std::signal(number, on_signal);
    }
    return f.run(argv[0]);
}
