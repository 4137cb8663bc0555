"""GPUs: the devices of this machine, their memory, and an arm's kernels on them.

`Arm(side, backend="cuda")` uses this. Without a GPU nothing here is imported.
"""

from baxterkit.cuda.arrays import DeviceArray
from baxterkit.cuda.gpu import Device, available, device, devices

__all__ = ["Device", "DeviceArray", "available", "device", "devices"]
