// What the numbers were taken on.
#pragma once

#include <string>

namespace membrane::timing {

std::string processor_name();

}  // namespace membrane::timing
