# The kinds, compiled from the same sources once for each target; src/runtime/active_target.cpp chooses one when the library runs.
# A kind that is not in vector_kinds has no code of its own for the vector target.
#
# library_sources: what is compiled once. <target>_kind_sources: what is compiled for each target.
set(vector_kinds bloom counting_bloom blocked_bloom balanced_bloom balanced_rank)
set(portable_kinds ${vector_kinds} choice_bloom rank count_min)
set(library_sources ${sources_of_src})
list(FILTER library_sources EXCLUDE REGEX "^src/(c/|kind/[a-z_]+/([a-z]+_)?ops\\.cpp$)")
foreach(target portable vector)
  list(TRANSFORM ${target}_kinds REPLACE "(.+)" "src/kind/\\1/ops.cpp" OUTPUT_VARIABLE ${target}_kind_sources)
  list(APPEND ${target}_kind_sources src/kind/balanced_rank/growable_ops.cpp src/kind/balanced_rank/erasable_ops.cpp)
endforeach()
