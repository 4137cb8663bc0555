"""The page in the browser: the robot's look, the 3D scene and the panels."""
