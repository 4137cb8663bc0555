"""The robot's look: colours, shapes, and Rethink's meshes where a user has them.

Viewer, figures, reports and the twin's pictures draw the same robot from here: dark joints, an arm
in sky blue and one in orange, a white torso, a face. `colors.py` has the colours of figures too.
"""
