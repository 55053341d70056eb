// SPDX-License-Identifier: Apache-2.0
// Folders for traces that the IP writes itself.
#ifndef SMRF_IP_TEMPORARY_FOLDER_H
#define SMRF_IP_TEMPORARY_FOLDER_H

#include <cstdlib>
#include <filesystem>
#include <string>

namespace smrf
{

// A new folder below the system's (TMPDIR), "smrf-<what>-" and some letters. Returns whether it was
// made; folder: its path, or the path that could not be made.
inline bool make_temporary_folder(const char *what, std::string &folder)
{
    std::error_code failed;
    const std::filesystem::path base = std::filesystem::temp_directory_path(failed);
    folder = (base / ("smrf-" + std::string(what) + "-XXXXXX")).string();
    return !failed && mkdtemp(folder.data()) != nullptr;
}

inline void remove_temporary_folder(const std::string &folder)
{
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
}

} // namespace smrf

#endif
