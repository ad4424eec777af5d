// membrane: approximate membership. Everything, for programs that do not want to choose.
//
// membrane::filter (filter/filter.hpp) grows with its keys; link the library. The header-only filters of each kind, nothing to link, have
// the same calls (filter/filters.hpp). mapped_filter answers from a file. Engines that hold bytes themselves: any_view and any_filter.
#pragma once

#include <membrane/filter/concurrent_filter.hpp>
#include <membrane/filter/concurrent_filters.hpp>
#include <membrane/filter/filter.hpp>
#include <membrane/filter/filters.hpp>
#include <membrane/runtime/build.hpp>
#include <membrane/runtime/mapped_filter.hpp>
#include <membrane/runtime/save.hpp>
#include <membrane/version.hpp>
