"""The connection to browsers: who may connect, what they may send, and which thread acts on it."""
