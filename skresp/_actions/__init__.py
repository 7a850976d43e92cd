"""Features and action sets, their encoding as numbers and their file format."""
