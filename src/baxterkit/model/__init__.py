"""What the robot is: its numbers, and how they are read and written."""
