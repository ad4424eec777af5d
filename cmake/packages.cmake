# Debian packages, one for each component of the install rules: `./dev package`.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_CONTACT "the membrane project <maintainers@membrane.invalid>")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_COMPONENTS_ALL development library tool redis)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_HOMEPAGE "")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libmembrane-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libxxhash-dev, libmembrane1 (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "membrane")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
"Filters that answer whether a key was seen, from a few bits per key: never a
false no, a false yes only as often as planned. C++20 headers, the static
library, the C header, a CMake package and pkg-config files.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libmembrane1)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION
"The C interface of membrane, for programs and for other languages.")

set(CPACK_DEBIAN_TOOL_PACKAGE_NAME membrane)
set(CPACK_DEBIAN_TOOL_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_TOOL_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TOOL_DESCRIPTION
"Plans, builds, queries, merges and verifies filters in files; manual page and
completions for bash, zsh and fish.")

set(CPACK_DEBIAN_REDIS_PACKAGE_NAME redis-membrane)
set(CPACK_DEBIAN_REDIS_PACKAGE_SECTION database)
set(CPACK_DEBIAN_REDIS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_REDIS_PACKAGE_ENHANCES "redis-server (>= 7.0)")
set(CPACK_DEBIAN_REDIS_DESCRIPTION
"BF, CF and CMS commands as clients of RedisBloom know them. To load it:
loadmodule /usr/lib/membrane/membrane.so")
include(CPack)
