// Passwords from places that other users of the machine do not see.
#pragma once

#include <string>

namespace membrane::cli {

// The first line of a file.
std::string password_in(const std::string& file);

// Asks on the terminal, also if standard input is something else, and does not show what is typed.
std::string asked_password(const std::string& question);

}  // namespace membrane::cli
