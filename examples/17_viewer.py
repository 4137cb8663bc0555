"""The robot in the browser, moved by a script: start, move a hand, stop.

Run `baxterkit view` for a viewer that stays; this one ends by itself. With --stay it serves until
Ctrl-C.
"""

import sys
import time

import numpy as np

from baxterkit.viewer import Viewer

with Viewer(port=0) as viewer:
    print("open in a browser:", viewer.address, flush=True)

    limb = viewer.session.limb("left")
    start = limb.T_base_tip.copy()
    angle = 0.0
    while angle < 2.0 * np.pi or "--stay" in sys.argv:
        target = start.copy()
        target[:3, 3] += [0.0, 0.1 * np.sin(angle), 0.1 * (1.0 - np.cos(angle))]
        # The viewer's own thread moves the arms; others leave it a message.
        viewer.mailbox.post("circle", lambda target=target: limb.drag(target))
        time.sleep(0.02)
        angle += 0.1

    time.sleep(0.3)
    gap = np.linalg.norm(limb.T_base_tip[:3, 3] - target[:3, 3])
    print(f"the hand is {1e3 * gap:.1f} mm from the end of its circle")
print("stopped")
