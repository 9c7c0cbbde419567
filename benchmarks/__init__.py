"""What minitape costs, beside hand-written NumPy and beside its peers: `python -m benchmarks`."""
