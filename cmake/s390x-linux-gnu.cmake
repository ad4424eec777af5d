# Toolchain: Debian's cross compiler for s390x (64 bits, big-endian), and qemu-user to run what it made. Libraries are the s390x packages of the same
# distribution (multiarch), so that nothing needs a system root. Used by `./dev machines`.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR s390x)
set(CMAKE_CXX_COMPILER s390x-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-s390x)
