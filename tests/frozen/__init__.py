"""What may not change: digests, tables and answers, as short hashes in `frozen.json.gz`.

`items.py` lists what is frozen and computes it, `__main__.py` writes and compares, `test_frozen.py` samples it.
"""
