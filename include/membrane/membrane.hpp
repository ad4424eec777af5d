// membrane: approximate membership. Everything, for programs that do not want to choose.
//
// Header-only, nothing to link: bloom_filter, counting_bloom_filter, blocked_bloom_filter,
//   balanced_bloom_filter, count_min_sketch, rank_filter, rank_counting_filter, rank_map
//   (kind/owning.hpp). With the library linked: any_filter, any_view, files, and building from hashes (runtime/).
#pragma once

#include <membrane/kind/owning.hpp>
#include <membrane/runtime/any_filter.hpp>
#include <membrane/runtime/build.hpp>
#include <membrane/runtime/mapped_filter.hpp>
#include <membrane/runtime/save.hpp>
#include <membrane/version.hpp>
