#!/usr/bin/env python3
"""recipes.py SOURCE_FOLDER CMAKE GENERATOR WORK_FOLDER: what packaging/ says about this project is so, without Conan and vcpkg.

The Conan recipe is run with a stand-in for Conan: the sources that it exports are configured with the options that it gives, alone in a
folder, and the libraries and targets that it names are those that are built and installed. The port for vcpkg names options and features
that exist.
"""
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import types
from collections import defaultdict

source, cmake, generator, work = sys.argv[1:]
faults = []


def expect(is_right, what):
    if not is_right:
        faults.append(what)


def copy(recipe, pattern, root, to):
    """Of conan.tools.files: 'src/*' are all files below."""
    path = os.path.join(root, pattern.removesuffix('/*'))
    expect(os.path.exists(path), f'conan: {pattern} matches nothing')
    target = os.path.join(to, os.path.relpath(path, root))
    if os.path.isdir(path):
        shutil.copytree(path, target)
    else:
        shutil.copy(path, target)


class Toolchain:
    made = None

    def __init__(self, recipe):
        self.cache_variables = {}
        Toolchain.made = self

    def generate(self):
        pass


class Component(types.SimpleNamespace):
    def __init__(self):
        super().__init__(libs=[], requires=[], system_libs=[], properties={})

    def set_property(self, name, value):
        self.properties[name] = value


class Package(Component):
    def __init__(self):
        super().__init__()
        self.components = defaultdict(Component)


def recipe_class():
    def module(name, **members):
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update(members)
    module('conan', ConanFile=object)
    module('conan.tools')
    module('conan.tools.build', check_min_cppstd=lambda *_: None)
    module('conan.tools.cmake', CMake=object, CMakeToolchain=Toolchain, cmake_layout=lambda *_: None,
           CMakeDeps=lambda recipe: types.SimpleNamespace(generate=lambda: None))
    module('conan.tools.files', copy=copy)
    place = importlib.util.spec_from_file_location('conanfile', os.path.join(source, 'packaging/conan/conanfile.py'))
    loaded = importlib.util.module_from_spec(place)
    place.loader.exec_module(loaded)
    return loaded.Membrane


def check_conan(with_c):
    recipe = recipe_class()()
    recipe.options = types.SimpleNamespace(**{**recipe.default_options, 'c_interface': with_c})
    recipe.recipe_folder = os.path.join(source, 'packaging/conan')
    recipe.export_sources_folder = os.path.join(work, f'conan_{with_c}')
    required = []
    recipe.requires = lambda name, **_: required.append(name.split('/')[0])
    recipe.requirements()
    os.makedirs(recipe.export_sources_folder)
    recipe.export_sources()
    recipe.generate()
    build = os.path.join(recipe.export_sources_folder, 'build')
    given = [f'-D{name}={"ON" if value else "OFF"}' for name, value in Toolchain.made.cache_variables.items()]
    configured = subprocess.run([cmake, '-G', generator, '-S', recipe.export_sources_folder, '-B', build, '-DCMAKE_BUILD_TYPE=Release', *given],
                                capture_output=True, text=True)
    expect(configured.returncode == 0, f'conan: {given}: {configured.stdout}{configured.stderr}')
    expect('not used by the project' not in configured.stderr, f'conan: {configured.stderr}')
    if configured.returncode != 0:
        return
    recipe.cpp_info = Package()
    recipe.package_info()
    with open(os.path.join(build, 'cmake_install.cmake'), encoding='utf-8') as file:
        installed = file.read()
    with open(os.path.join(source, 'cmake/install.cmake'), encoding='utf-8') as file:
        targets_file = file.read()
    expect('NAMESPACE membrane::' in targets_file, 'conan: another namespace of the targets')
    exported = ''.join(open(os.path.join(folder, name), encoding='utf-8').read() for folder, _, names in os.walk(build) for name in names
                       if name == 'membraneTargets.cmake')
    libraries = set(re.findall(r'/lib([\w+]+)\.(?:a|so)"', installed))
    named = {each for part in recipe.cpp_info.components.values() for each in part.libs}
    expect(named == libraries, f'conan: names the libraries {sorted(named)}, installed are {sorted(libraries)}')
    targets = {part.properties['cmake_target_name'] for part in recipe.cpp_info.components.values()}
    really = set(re.findall(r'add_library\((membrane::\w+)', exported))
    expect(targets == really, f'conan: names the targets {sorted(targets)}, exported are {sorted(really)}')
    used = {each.split('::')[0] for part in recipe.cpp_info.components.values() for each in part.requires if '::' in each}
    expect(used == set(required), f'conan: requires {sorted(required)}, its components {sorted(used)}')


def check_vcpkg():
    folder = os.path.join(source, 'packaging/vcpkg/membrane')
    with open(os.path.join(folder, 'vcpkg.json'), encoding='utf-8') as file:
        port = json.load(file)
    with open(os.path.join(folder, 'portfile.cmake'), encoding='utf-8') as file:
        text = file.read()
    with open(os.path.join(source, 'CMakeLists.txt'), encoding='utf-8') as file:
        options = set(re.findall(r'^\s*option\((MEMBRANE_\w+)', file.read(), re.M))
    for name in re.findall(r'\bMEMBRANE_\w+', text):
        expect(name in options, f'vcpkg: CMakeLists.txt has no option {name}')
    features = dict(re.findall(r'^\s+(\w+) (MEMBRANE_\w+)\)?$', text, re.M))
    expect(set(features) == set(port['features']), f'vcpkg: features {sorted(port["features"])}, options for {sorted(features)}')
    with open(os.path.join(source, 'include/membrane/version.hpp'), encoding='utf-8') as file:
        version = re.search(r'version_string\[\] = "(.*)"', file.read())[1]
    for what, given in (('vcpkg', port['version']), ('conan', recipe_class().version)):
        expect(given == version, f'{what}: version {given}, this is {version}')


shutil.rmtree(work, ignore_errors=True)
for with_c in (True, False):
    check_conan(with_c)
check_vcpkg()
print('\n'.join(faults) or 'the recipes are right')
sys.exit(1 if faults else 0)
