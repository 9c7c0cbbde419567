"""GraphView: the computation as a graph."""
