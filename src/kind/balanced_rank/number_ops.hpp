// The operations of the forms that stand for numbers, each compiled in a file of its own: together they take half a minute.
#pragma once

#include <membrane/base/target.hpp>
#include <membrane/runtime/kind_ops.hpp>

MEMBRANE_TARGET_BEGIN

kind_ops growable_rank_ops();
kind_ops erasable_rank_ops();

MEMBRANE_TARGET_END
