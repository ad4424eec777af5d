// MEMBRANE_TEST_IS_INSTRUMENTED: a sanitizer checks this build, in which times say nothing.
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(thread_sanitizer)
#define MEMBRANE_TEST_IS_INSTRUMENTED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEMBRANE_TEST_IS_INSTRUMENTED 1
#endif
