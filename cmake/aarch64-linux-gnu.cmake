# Toolchain: Debian's cross compiler for arm64, and qemu-user to run what it made. Libraries are the arm64 packages of the same
# distribution (multiarch), so that nothing needs a system root. Used by `./dev neon`.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
