"""The public functions and objects of `import groupsim`."""
