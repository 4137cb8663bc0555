"""A ROS 1 node on the standard library: master, topics, services and parameters over TCPROS."""
