"""Other derivations and other engines that answer the same questions as baxterkit."""
