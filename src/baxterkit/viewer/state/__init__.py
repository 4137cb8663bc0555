"""What is shown, without a browser: both limbs, what moves them, and the numbers of the panels."""
