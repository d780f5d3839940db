"""The shell: SimPy supplies time, the network supplies trouble, the log remembers. The only importer of SimPy."""
