"""ROS messages, made at run time from our own definitions.

```python
JointCommand = message_class("baxter_core_msgs/JointCommand")
m = JointCommand(mode=JointCommand.POSITION_MODE, names=["left_s0"], command=[0.1])
JointCommand.decode(m.encode()) == m
```
Times and durations are whole nanoseconds, arrays of numbers NumPy arrays, those of uint8 bytes.
"""

from __future__ import annotations

from baxterkit.messages.types import Message, Service, message_class, service_type

__all__ = ["Message", "Service", "message_class", "service_type"]
