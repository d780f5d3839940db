"""The root folders become packages of `groupsim`: `coordinator/` is imported as `groupsim.coordinator`."""

from setuptools import find_packages, setup

NOT_INSTALLED = ("benchmarks*", "tests*", "docs*", "examples*")

setup(
    package_dir={"groupsim": "."},
    packages=["groupsim", *(f"groupsim.{name}" for name in find_packages(exclude=NOT_INSTALLED))],
)
