# Toolchain: Debian's cross compiler for i386 (32 bits), and qemu-user to run what it made. Libraries are the i386 packages of the same
# distribution (multiarch), so that nothing needs a system root. Used by `./dev machines`.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR i686)
set(CMAKE_CXX_COMPILER i686-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-i386)
