"""Elements picked, written, searched and sorted."""
