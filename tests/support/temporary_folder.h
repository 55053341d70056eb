// SPDX-License-Identifier: Apache-2.0
// A folder of its own for a test; removed with its contents.
#ifndef SMRF_TEST_TEMPORARY_FOLDER_H
#define SMRF_TEST_TEMPORARY_FOLDER_H

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace smrf_test
{

class temporary_folder
{
  public:
    temporary_folder()
    {
        std::string name = (std::filesystem::temp_directory_path() / "smrf-test-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) {
            ADD_FAILURE() << "no temporary folder";
        }
        path_ = name;
    }
    ~temporary_folder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    temporary_folder(const temporary_folder &) = delete;
    temporary_folder &operator=(const temporary_folder &) = delete;
    std::string operator/(const std::string &name) const
    {
        return (path_ / name).string();
    }
    std::string path() const
    {
        return path_.string();
    }

  private:
    std::filesystem::path path_;
};

} // namespace smrf_test

#endif
