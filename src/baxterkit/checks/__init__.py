"""What the library is given, checked, and refused in words that name the value and the way out."""
