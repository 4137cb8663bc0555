"""The methods of `Arm`, one file for each layer below."""
