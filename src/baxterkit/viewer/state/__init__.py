"""The viewer's state, without a browser: both limbs, their motion, and the panels' numbers."""
