"""Conan 2 recipe of membrane. Not tested with Conan itself; test/install/recipes.py configures what it exports. From the project's folder:
conan create packaging/conan"""
import os

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class Membrane(ConanFile):
    name = 'membrane'
    version = '0.1.0'
    license = 'Apache-2.0'
    description = 'Approximate membership: filters that never miss a key'
    settings = 'os', 'arch', 'compiler', 'build_type'
    # c_interface: libmembrane.so, which is shared whatever `shared` says.
    options = {'shared': [True, False], 'fPIC': [True, False], 'c_interface': [True, False]}
    default_options = {'shared': False, 'fPIC': True, 'c_interface': True}

    def requirements(self):
        # Its header is inlined, also by programs that include ours.
        self.requires('xxhash/[>=0.8 <1]', transitive_headers=True)
        if self.options.c_interface:
            self.requires('nlohmann_json/[>=3.11 <4]', visible=False)

    def export_sources(self):
        root = os.path.join(self.recipe_folder, '..', '..')
        for pattern in ('CMakeLists.txt', 'cmake/*', 'include/*', 'src/*', 'report/*', 'LICENSE', 'README.md', 'CHANGELOG.md'):
            copy(self, pattern, root, self.export_sources_folder)

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part in ('BUILD_TESTS', 'BUILD_CLI', 'BUILD_PYTHON', 'REDIS'):
            toolchain.cache_variables[f'MEMBRANE_{part}'] = False
        toolchain.cache_variables['MEMBRANE_C'] = bool(self.options.c_interface)
        toolchain.cache_variables['MEMBRANE_INSTALL'] = True
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property('cmake_file_name', 'membrane')
        # The targets of our own CMake package, and its files for pkg-config.
        headers = self.cpp_info.components['headers']
        headers.set_property('cmake_target_name', 'membrane::headers')
        headers.requires = ['xxhash::xxhash']
        headers.system_libs = ['pthread']
        library = self.cpp_info.components['membrane']
        library.set_property('cmake_target_name', 'membrane::membrane')
        library.set_property('pkg_config_name', 'membrane')
        library.libs = ['membrane++']
        library.requires = ['headers']
        if self.options.c_interface:
            c = self.cpp_info.components['c']
            c.set_property('cmake_target_name', 'membrane::c')
            c.set_property('pkg_config_name', 'membrane-c')
            c.libs = ['membrane']
            # Compiled in; Conan wants every requirement to be that of some component.
            c.requires = ['nlohmann_json::nlohmann_json']
