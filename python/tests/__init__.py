"""Tests of psf's Python package: ``python3 -m unittest discover -t . -s tests`` in the folder ``python``.

Those of a cluster run if PSF_SCHEDULER names one.
"""
