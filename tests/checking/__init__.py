"""Tests of settings and manifests before they are used."""
