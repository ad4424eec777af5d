"""Builds the wheel for pip (PEP 517) with CMake, as `./dev python` builds the package: one description of how the library is compiled.

There is nothing to download: `requires` is empty in pyproject.toml. The machine needs cmake, a compiler, ninja or make, the headers of this Python
and the headers of xxhash and nlohmann-json: `./dev setup build python` installs them. MEMBRANE_BUILD_DIR names a folder to build in, which makes the
next build short; the default is a temporary one.
"""
import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

PYTHON = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCE = os.path.dirname(PYTHON)
DATE = (2020, 1, 1, 0, 0, 0)  # of every file in the wheel, so that equal sources give equal wheels


def version():
    with open(os.path.join(SOURCE, 'include', 'membrane', 'version.hpp'), encoding='utf-8') as file:
        return re.search(r'version_string\[\] = "([^"]+)"', file.read()).group(1)


def tag():
    name = f'cp{sys.version_info.major}{sys.version_info.minor}'
    return f'{name}-{name}-{sysconfig.get_platform().replace("-", "_").replace(".", "_")}'


def metadata():
    return (f'Metadata-Version: 2.1\nName: membrane\nVersion: {version()}\n'
            'Summary: Have I seen this key? Answered from a few bits per key: never a false no, a false yes only as often as planned\n'
            'License: Apache-2.0\nRequires-Python: >=3.9\n')


def build(folder):
    """The folder with the package."""
    if shutil.which('cmake') is None:
        sys.exit('membrane: cmake is missing; `./dev setup build python` installs what is needed on Debian')
    generator = ['-G', 'Ninja'] if shutil.which('ninja') else []
    subprocess.run(['cmake', '-S', SOURCE, '-B', folder, *generator, '-DCMAKE_BUILD_TYPE=Release', f'-DPython_EXECUTABLE={sys.executable}',
                    '-DMEMBRANE_BUILD_PYTHON=ON', '-DMEMBRANE_C=OFF', '-DMEMBRANE_BUILD_CLI=OFF', '-DMEMBRANE_REDIS=OFF', '-DMEMBRANE_BUILD_TESTS=OFF',
                    '-DMEMBRANE_INSTALL=OFF'], check=True)
    subprocess.run(['cmake', '--build', folder, '--target', 'membrane_python', '-j', os.environ.get('JOBS', str(os.cpu_count() or 1))], check=True)
    return os.path.join(folder, 'python', 'membrane')


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    del config_settings, metadata_directory
    info = f'membrane-{version()}.dist-info'
    name = f'membrane-{version()}-{tag()}.whl'
    with tempfile.TemporaryDirectory() as temporary:
        package = build(os.environ.get('MEMBRANE_BUILD_DIR') or temporary)
        suffix = sysconfig.get_config_var('EXT_SUFFIX')
        names = sorted(each for each in os.listdir(package)
                       if each.endswith(('.py', '.pyi')) or each in ('py.typed', '_core' + suffix))
        contents = {}
        for each in names:
            with open(os.path.join(package, each), 'rb') as file:
                contents[f'membrane/{each}'] = file.read()
    contents[f'{info}/METADATA'] = metadata().encode()
    contents[f'{info}/WHEEL'] = f'Wheel-Version: 1.0\nGenerator: membrane_build\nRoot-Is-Purelib: false\nTag: {tag()}\n'.encode()
    record = ''
    with zipfile.ZipFile(os.path.join(wheel_directory, name), 'w', zipfile.ZIP_DEFLATED) as wheel:
        for path, data in contents.items():
            write(wheel, path, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()
            record += f'{path},sha256={digest},{len(data)}\n'
        write(wheel, f'{info}/RECORD', (record + f'{info}/RECORD,,\n').encode())
    return name


def write(wheel, path, data):
    entry = zipfile.ZipInfo(path, DATE)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (0o755 if path.endswith('.so') else 0o644) << 16
    wheel.writestr(entry, data)


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError('the sources are the whole repository: build a wheel')
