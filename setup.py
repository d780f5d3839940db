"""The root folders become packages of `groupsim`: `coordinator/` is imported as `groupsim.coordinator`."""

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

NOT_INSTALLED = ("benchmarks*", "build*", "recorders*", "tests*", "docs*", "examples*")


class BuildWithoutSetup(build_py):
    """The root folder is a package, so this file would be taken for a module of it."""

    def find_package_modules(self, package, package_dir):
        modules = super().find_package_modules(package, package_dir)
        return [found for found in modules if found[:2] != ("groupsim", "setup")]


setup(
    cmdclass={"build_py": BuildWithoutSetup},
    package_dir={"groupsim": "."},
    packages=["groupsim", *(f"groupsim.{name}" for name in find_packages(exclude=NOT_INSTALLED))],
)
