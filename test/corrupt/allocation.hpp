// How much memory a call takes through operator new, which this test program replaces. Payload buffers come from calloc
// and are as long as the payload, which the tests compare with the file.
#pragma once

#include <cstddef>

namespace membrane::corrupt {

class allocation_watch {
public:
    allocation_watch();
    std::size_t count() const;       // allocations since then
    std::size_t peak_bytes() const;  // most bytes held at once above what was held then
};

}  // namespace membrane::corrupt
