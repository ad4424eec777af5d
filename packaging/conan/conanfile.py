"""Conan 2 recipe of membrane. Not tested. From the project's folder: conan create packaging/conan"""
import os

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class Membrane(ConanFile):
    name = 'membrane'
    version = '0.1.0'
    license = 'Apache-2.0'
    description = 'Approximate membership: filters that never miss a key'
    settings = 'os', 'arch', 'compiler', 'build_type'
    options = {'shared': [True, False], 'fPIC': [True, False]}
    default_options = {'shared': False, 'fPIC': True}
    requires = 'xxhash/[>=0.8 <1]'

    def export_sources(self):
        root = os.path.join(self.recipe_folder, '..', '..')
        for pattern in ('CMakeLists.txt', 'cmake/*', 'include/*', 'src/*', 'LICENSE', 'README.md', 'CHANGELOG.md'):
            copy(self, pattern, root, self.export_sources_folder)

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part in ('BUILD_TESTS', 'BUILD_CLI', 'REDIS'):
            toolchain.cache_variables[f'MEMBRANE_{part}'] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property('cmake_file_name', 'membrane')
        self.cpp_info.set_property('cmake_target_name', 'membrane::membrane')
        self.cpp_info.libs = ['membrane']
        self.cpp_info.requires = ['xxhash::xxhash']
        self.cpp_info.system_libs = ['pthread']
