// SPDX-License-Identifier: Apache-2.0
// An experiment's store: what is kept is there once and whole, whoever is killed, whoever else is
// at it, and wherever the disk ends.
#include "platform/store/store.h"
#include "tests/support/platform_files.h"

#include <csignal>
#include <map>
#include <sqlite3.h>
#include <sys/resource.h>
#include <thread>

using namespace smrf_test;

namespace
{

constexpr unsigned all_runs = 24, numbers_of_a_run = 60;

smrf_store_run run_of(unsigned i)
{
    static std::map<unsigned, std::string> digests;
    smrf_store_run run{};
    run.tool = "run";
    run.trace = "t";
    run.trace_digest = (digests[i] = "digest-" + std::to_string(i)).c_str();
    run.program = "program";
    run.preset = "preset";
    run.mechanism = "baseline";
    run.configuration = "rf.banks=2\nrf.collectors=4\n";
    run.seed = 1;
    smrf_store_make_key(&run);
    return run;
}

// Numbers that tell whose they are.
json_t *document_of(unsigned i)
{
    json_t *root = json_object(), *kernels = json_array(), *kernel = json_object();
    for (unsigned k = 0; k < numbers_of_a_run / 2; k++) {
        const std::string name = "n" + std::to_string(k);
        json_object_set_new(root, name.c_str(), json_integer(1000 * i + k));
        json_object_set_new(kernel, name.c_str(), json_integer(1000 * i + k));
    }
    json_object_set_new(kernel, "name", json_string("kernel"));
    json_array_append_new(kernels, kernel);
    json_object_set_new(root, "kernels", kernels);
    json_object_set_new(root, "provenance", json_pack("{s:s}", "mechanism", "baseline"));
    return root;
}

int keep(smrf_store *store, unsigned i)
{
    json_t *document = document_of(i);
    const int err = smrf_store_keep(store, run_of(i).key, document, 0.5);
    json_decref(document);
    return err;
}

bool nobody_lives(void *, const char *)
{
    return false;
}
bool everybody_lives(void *, const char *)
{
    return true;
}

struct opened {
    smrf_store *store = nullptr;
    int err;
    explicit opened(const std::string &folder) : err(smrf_store_open(&store, folder.c_str())) {}
    ~opened()
    {
        smrf_store_close(store);
    }
};

// The database as another program sees it.
class database
{
  public:
    explicit database(const std::string &folder)
    {
        EXPECT_EQ(SQLITE_OK, sqlite3_open((folder + "/experiment.sqlite").c_str(), &db_));
    }
    ~database()
    {
        sqlite3_close(db_);
    }
    std::string text(const std::string &query) const
    {
        sqlite3_stmt *q = nullptr;
        EXPECT_EQ(SQLITE_OK, sqlite3_prepare_v2(db_, query.c_str(), -1, &q, nullptr)) << query;
        std::string found;
        if (sqlite3_step(q) == SQLITE_ROW && sqlite3_column_text(q, 0)) {
            found = reinterpret_cast<const char *>(sqlite3_column_text(q, 0));
        }
        sqlite3_finalize(q);
        return found;
    }
    long long number(const std::string &query) const
    {
        return std::atoll(text(query).c_str());
    }

  private:
    sqlite3 *db_ = nullptr;
};

// Everything that is there is whole, and nothing is there that is not.
void expect_sound(const std::string &folder)
{
    database db(folder);
    EXPECT_EQ("ok", db.text("PRAGMA integrity_check"));
    EXPECT_EQ(0, db.number("SELECT count(*) FROM (SELECT runs.id, count(launch) c FROM runs LEFT "
                           "JOIN statistics ON run = runs.id WHERE status = 'whole' GROUP BY 1 "
                           "HAVING c <> " +
                           std::to_string(numbers_of_a_run) + ")"));
    EXPECT_EQ(0, db.number("SELECT count(*) FROM statistics JOIN runs ON runs.id = run WHERE "
                           "status <> 'whole'"));
    EXPECT_EQ(0, db.number("SELECT count(*) FROM (SELECT key FROM runs GROUP BY key HAVING "
                           "count(*) > 1)"));
}

void expect_all(const std::string &folder)
{
    database db(folder);
    EXPECT_EQ(all_runs, db.number("SELECT count(*) FROM runs WHERE status = 'whole'"));
    EXPECT_EQ(all_runs * numbers_of_a_run, db.number("SELECT count(*) FROM statistics"));
    for (unsigned i = 0; i < all_runs; i++) {
        EXPECT_EQ(
            1000 * i + 7,
            db.number("SELECT value FROM statistics JOIN runs ON runs.id = run WHERE key = '" +
                      std::string(run_of(i).key) + "' AND launch = 1 AND name = 'n7'"));
    }
}

// Claim and keep whatever is free, in this order, until nothing is left. Returns how many.
int work(const std::string &folder, const std::string &owner,
         bool (*lives)(void *, const char *) = nobody_lives)
{
    opened o(folder);
    int kept = 0;
    for (unsigned i = 0; o.err == 0 && i < all_runs; i++) {
        const smrf_store_run run = run_of(i);
        const int taken = smrf_store_claim(o.store, &run, owner.c_str(), lives, nullptr);
        if (taken < 0 || (taken > 0 && keep(o.store, i))) {
            return -1;
        }
        kept += taken;
    }
    return o.err ? -1 : kept;
}

TEST(Store, KeepsADocumentAsTidyRowsOnce)
{
    temporary_folder folder;
    opened o(folder.path());
    ASSERT_EQ(0, o.err) << smrf_store_error(o.store);
    const smrf_store_run run = run_of(3);
    EXPECT_EQ(SMRF_STORE_NONE, smrf_store_state(o.store, run.key));
    ASSERT_EQ(1, smrf_store_claim(o.store, &run, "me", nobody_lives, nullptr));
    EXPECT_EQ(SMRF_STORE_CLAIMED, smrf_store_state(o.store, run.key));
    ASSERT_EQ(0, keep(o.store, 3)) << smrf_store_error(o.store);
    ASSERT_EQ(0, keep(o.store, 3));
    EXPECT_EQ(SMRF_STORE_WHOLE, smrf_store_state(o.store, run.key));
    EXPECT_EQ(0, smrf_store_claim(o.store, &run, "me", nobody_lives, nullptr)) << "it is there";
    database db(folder.path());
    EXPECT_EQ(numbers_of_a_run, db.number("SELECT count(*) FROM statistics"));
    EXPECT_EQ(2, db.number("SELECT count(*) FROM configurations"));
    EXPECT_EQ("4", db.text("SELECT value FROM configurations WHERE key = 'rf.collectors'"));
    EXPECT_STREQ("kernel", smrf_store_kernel(o.store, run.key, 1));
}

TEST(Store, EditedNumbersAreFound)
{
    const char *const edits[] = {
        "UPDATE numbers SET value = 100 * value WHERE launch = 0",
        "UPDATE numbers SET value = -5 WHERE launch = 1",
        "DELETE FROM numbers WHERE launch = 1",
        "UPDATE names SET name = 'other' WHERE id = 1",
        "UPDATE launches SET kernel = 'other'",
        "INSERT INTO series VALUES((SELECT id FROM runs), 's', 0, 'f', 1)",
        "INSERT INTO samples VALUES((SELECT id FROM runs), 1, 0, 9, 0, 0, 0, 'ipc', 1)",
        "UPDATE names SET unit = 'other'",
        "UPDATE runs SET mechanism = 'other'",
        "UPDATE runs SET preset = 'other'",
        "UPDATE runs SET trace_digest = 'other'",
        "UPDATE runs SET provenance = 'other'",
        "UPDATE configurations SET value = 'other'",
        "UPDATE runs SET digest = NULL"};
    for (const char *edit : edits) {
        temporary_folder folder;
        opened o(folder.path());
        const smrf_store_run run = run_of(3);
        ASSERT_EQ(1, smrf_store_claim(o.store, &run, "me", nobody_lives, nullptr));
        ASSERT_EQ(0, keep(o.store, 3)) << smrf_store_error(o.store);
        ASSERT_EQ(0, smrf_store_verify(o.store, run.key)) << smrf_store_error(o.store);
        ASSERT_EQ(SMRF_STORE_WHOLE, smrf_store_state(o.store, run.key));
        sqlite3 *db = nullptr;
        ASSERT_EQ(SQLITE_OK, sqlite3_open((folder / SMRF_STORE_FILE).c_str(), &db));
        ASSERT_EQ(SQLITE_OK, sqlite3_exec(db, edit, nullptr, nullptr, nullptr)) << edit;
        sqlite3_close(db);
        EXPECT_EQ(0, smrf_store_verify(o.store, run.key)) << smrf_store_error(o.store);
        EXPECT_EQ(SMRF_STORE_FAILED, smrf_store_state(o.store, run.key)) << edit;
        EXPECT_NE(nullptr, strstr(smrf_store_why(o.store, run.key), "changed"));
        EXPECT_EQ(1, smrf_store_claim(o.store, &run, "me", nobody_lives, nullptr)) << "again";
    }
}

// The numbers of one run under the key of another.
TEST(Store, SwappedRunsAreFound)
{
    temporary_folder folder;
    opened o(folder.path());
    const smrf_store_run runs[] = {run_of(1), run_of(2)};
    for (int i = 0; i < 2; i++) {
        ASSERT_EQ(1, smrf_store_claim(o.store, &runs[i], "me", nobody_lives, nullptr));
        ASSERT_EQ(0, keep(o.store, i + 1)) << smrf_store_error(o.store);
    }
    sqlite3 *db = nullptr;
    ASSERT_EQ(SQLITE_OK, sqlite3_open((folder / SMRF_STORE_FILE).c_str(), &db));
    const std::string swap = std::string("UPDATE runs SET key = key || '.'; ") +
                             "UPDATE runs SET key = CASE id WHEN 1 THEN '" + runs[1].key +
                             "' ELSE '" + runs[0].key + "' END";
    ASSERT_EQ(SQLITE_OK, sqlite3_exec(db, swap.c_str(), nullptr, nullptr, nullptr));
    sqlite3_close(db);
    for (const smrf_store_run &run : runs) {
        EXPECT_EQ(0, smrf_store_verify(o.store, run.key)) << smrf_store_error(o.store);
        EXPECT_EQ(SMRF_STORE_FAILED, smrf_store_state(o.store, run.key));
    }
}

// Its keys were made of other digests: none of its runs would be found, and each would seem edited.
TEST(Store, OneOfEarlierDigestsIsRefusedAndSaysWhatToDo)
{
    for (const char *version : {"1", "2"}) {
        temporary_folder folder;
        {
            opened o(folder.path());
        }
        sqlite3 *db = nullptr;
        ASSERT_EQ(SQLITE_OK, sqlite3_open((folder / SMRF_STORE_FILE).c_str(), &db));
        const std::string change = std::string("PRAGMA user_version = ") + version;
        ASSERT_EQ(SQLITE_OK, sqlite3_exec(db, change.c_str(), nullptr, nullptr, nullptr));
        sqlite3_close(db);
        smrf_store *store = nullptr;
        EXPECT_EQ(SMRF_ERR_FORMAT, smrf_store_open(&store, folder.path().c_str()));
        EXPECT_NE(nullptr, strstr(smrf_store_error(store), "run the study again"))
            << smrf_store_error(store);
        smrf_store_close(store);
    }
}

TEST(Store, AKeyIsMadeOfEverythingThatARunDependsOn)
{
    const smrf_store_run base = run_of(0);
    const struct {
        const char *what;
        const char *smrf_store_run::*member;
    } parts[] = {{"tool", &smrf_store_run::tool},
                 {"trace", &smrf_store_run::trace_digest},
                 {"program", &smrf_store_run::program},
                 {"mechanism", &smrf_store_run::mechanism},
                 {"machine", &smrf_store_run::configuration}};
    for (const auto &p : parts) {
        smrf_store_run other = base;
        other.*p.member = "another";
        smrf_store_make_key(&other);
        EXPECT_STRNE(base.key, other.key) << p.what;
    }
    smrf_store_run moved = base; // the same trace under another name
    moved.trace = "elsewhere";
    smrf_store_make_key(&moved);
    EXPECT_STREQ(base.key, moved.key);
}

TEST(Store, AClaimHoldsAsLongAsItsOwnerLives)
{
    temporary_folder folder;
    opened o(folder.path());
    const smrf_store_run run = run_of(0);
    ASSERT_EQ(1, smrf_store_claim(o.store, &run, "a", everybody_lives, nullptr));
    EXPECT_EQ(0, smrf_store_claim(o.store, &run, "b", everybody_lives, nullptr));
    EXPECT_EQ(1, smrf_store_claim(o.store, &run, "b", nobody_lives, nullptr));
    ASSERT_EQ(0, smrf_store_release(o.store, "a"));
    EXPECT_EQ(SMRF_STORE_CLAIMED, smrf_store_state(o.store, run.key)) << "it is not a's any more";
    ASSERT_EQ(0, smrf_store_release(o.store, "b"));
    EXPECT_EQ(SMRF_STORE_NONE, smrf_store_state(o.store, run.key));
    ASSERT_EQ(1, smrf_store_claim(o.store, &run, "a", nobody_lives, nullptr));
    ASSERT_EQ(0, smrf_store_fail(o.store, run.key, "no luck"));
    EXPECT_EQ(SMRF_STORE_FAILED, smrf_store_state(o.store, run.key));
    EXPECT_STREQ("no luck", smrf_store_why(o.store, run.key));
    EXPECT_EQ(1, smrf_store_claim(o.store, &run, "a", everybody_lives, nullptr)) << "once more";
    EXPECT_STREQ("", smrf_store_why(o.store, run.key));
}

TEST(Store, WhoeverIsKilledHasChangedNothingByHalves)
{
    temporary_folder folder;
    unsigned kills = 0;
    for (unsigned moment = 0; moment < 60; moment++) {
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            _exit(work(folder.path(), "child") < 0 ? 1 : 0);
        }
        usleep(500 + 1871 * (moment % 23));
        kill(child, SIGKILL);
        int status = 0;
        waitpid(child, &status, 0);
        kills += WIFSIGNALED(status);
        if (WIFEXITED(status)) {
            EXPECT_EQ(0, WEXITSTATUS(status));
            break;
        }
        if (fs::exists(folder / "experiment.sqlite")) {
            opened recovered(folder.path()); // the journal of the killed is played back
            EXPECT_EQ(0, recovered.err) << smrf_store_error(recovered.store);
        }
    }
    EXPECT_GT(kills, 3u);
    EXPECT_LE(0, work(folder.path(), "last"));
    expect_sound(folder.path());
    expect_all(folder.path());
}

TEST(Store, SeveralWorkersShareItAndDoNothingTwice)
{
    temporary_folder folder;
    std::vector<pid_t> workers;
    for (unsigned w = 0; w < 4; w++) {
        const pid_t child = fork();
        if (child == 0) {
            _exit(work(folder.path(), "worker-" + std::to_string(w), everybody_lives) & 0x7f);
        }
        workers.push_back(child);
    }
    int kept = 0;
    for (pid_t worker : workers) {
        int status = 0;
        waitpid(worker, &status, 0);
        ASSERT_TRUE(WIFEXITED(status));
        kept += WEXITSTATUS(status);
    }
    EXPECT_EQ(static_cast<int>(all_runs), kept) << "each by one of them";
    expect_sound(folder.path());
    expect_all(folder.path());
}

TEST(Store, AFullDiskLosesNothingAndIsTold)
{
    temporary_folder folder;
    { // the tables, and two runs
        opened o(folder.path());
        for (unsigned i = 0; i < 2; i++) {
            const smrf_store_run run = run_of(i);
            ASSERT_EQ(1, smrf_store_claim(o.store, &run, "a", nobody_lives, nullptr));
            ASSERT_EQ(0, keep(o.store, i));
        }
    }
    const auto bytes = fs::file_size(folder / "experiment.sqlite");
    unsigned refused = 0;
    for (unsigned more = 0; more < 60000; more += 4096) {
        const pid_t child = fork();
        if (child == 0) {
            const rlimit limit{bytes + more, bytes + more};
            std::signal(SIGXFSZ, SIG_IGN);
            setrlimit(RLIMIT_FSIZE, &limit);
            _exit(work(folder.path(), "b") < 0 ? 1 : 0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        ASSERT_TRUE(WIFEXITED(status));
        refused += WEXITSTATUS(status) == 1;
        expect_sound(folder.path());
        EXPECT_LE(2, database(folder.path())
                         .number("SELECT count(*) FROM runs WHERE status = "
                                 "'whole'"));
    }
    EXPECT_GT(refused, 3u);
    EXPECT_LE(0, work(folder.path(), "c"));
    expect_all(folder.path());
}

TEST(Store, WhatIsNoStoreIsRefusedAndLeftAlone)
{
    temporary_folder folder;
    write_file(folder / "experiment.sqlite",
               "this is a letter, and a long one, to whom it concerns");
    {
        opened o(folder.path());
        EXPECT_EQ(SMRF_ERR_FORMAT, o.err);
        EXPECT_NE(std::string::npos, std::string(smrf_store_error(o.store)).find("not a database"));
    }
    EXPECT_EQ(0u, read_file(folder / "experiment.sqlite").find("this is a letter"));
    fs::remove(folder / "experiment.sqlite");
    sqlite3 *db = nullptr;
    ASSERT_EQ(SQLITE_OK, sqlite3_open((folder / "experiment.sqlite").c_str(), &db));
    ASSERT_EQ(SQLITE_OK, sqlite3_exec(db, "CREATE TABLE runs(mine)", nullptr, nullptr, nullptr));
    sqlite3_close(db);
    opened o(folder.path());
    EXPECT_EQ(SMRF_ERR_FORMAT, o.err);
    EXPECT_NE(std::string::npos,
              std::string(smrf_store_error(o.store)).find("choose another folder"));
    opened nowhere(folder / "nowhere");
    EXPECT_EQ(SMRF_ERR_IO, nowhere.err);
}

} // namespace
