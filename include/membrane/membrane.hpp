// membrane: approximate membership. Everything, for programs that do not want to choose.
//
// Header-only, nothing to link: bloom_filter, counting_bloom_filter, blocked_bloom_filter,
//   balanced_bloom_filter, count_min_sketch, rank_filter, rank_counting_filter, rank_map
//   (kind/owning.hpp). With the library linked: any_filter, any_view, files and the builder (runtime/).
#pragma once

#include <membrane/kind/owning.hpp>
#include <membrane/runtime/any_filter.hpp>
#include <membrane/runtime/builder.hpp>
#include <membrane/runtime/filter_file.hpp>
#include <membrane/version.hpp>
