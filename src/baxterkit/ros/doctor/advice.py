"""Every finding of the doctor by its name, with the fix: the one place for these words.

A fault that the twin can simulate (`baxterkit ros twin --fault NAME`) has the name of its finding.
"""

from __future__ import annotations

from typing import NamedTuple


class Advice(NamedTuple):
    """What a finding is about, and what to do.

    Attributes:
        area: The part of the examination.
        fix: What to do, in one or two sentences.
    """

    area: str
    fix: str


_TABLE: dict[str, dict[str, str]] = {
    "network": {
        "master_address": "Write the address as http://<serial>.local:11311, with the serial "
        "number on the robot's back, in --master or ROS_MASTER_URI.",
        "master_name": "Add a line with the robot's IPv4 address and its name to /etc/hosts, or "
        "install mDNS (avahi-daemon and libnss-mdns); `ping <serial>.local` must work.",
        "master_ipv6": "The robot's ROS 1 nodes use IPv4 only. Give its IPv4 address, or add it "
        "with the robot's name to /etc/hosts.",
        "no_master": "Check that the robot has booted (this takes some minutes), that it is on "
        "this network, and that --master or ROS_MASTER_URI is its address.",
        "master_lost": "Check the cable and the robot's power, and run the doctor again.",
        "own_address": "Set ROS_IP to this computer's address in the robot's network, unset "
        "ROS_HOSTNAME, and let the firewall accept connections from the robot.",
        "node_name": "Add a line with the robot's IPv4 address and this name to /etc/hosts.",
        "node_address": "Connect to the network that this address belongs to, or set ROS_IP where "
        "that node runs to an address that this computer can reach.",
        "node_gone": "Run `rosnode cleanup`, or restart the master: the node ended without "
        "unregistering.",
        "data_port": "Let the firewalls on both sides accept connections between the robot and "
        "this computer on all ports above 1024: ROS chooses them at random.",
        "slow_network": "Use a cable instead of WiFi, and end large transfers such as camera "
        "images.",
    },
    "clock": {
        "clock_ahead": "Set both computers by the same NTP server: on the robot in its Field "
        "Service Menu, here with chrony or ntpdate.",
        "clock_behind": "Set the robot's clock: give it an NTP server in its Field Service Menu, "
        "and use the same one here.",
        "clock_set": "Wait until the robot's NTP client has settled, some minutes after booting; "
        "if stamps go on jumping, two nodes or two NTP servers set the time.",
        "stamps_stuck": "Restart the robot: the node that publishes its joints repeats an old "
        "message.",
        "simulated_time": "Run `rosparam set /use_sim_time false`, and restart the programs that "
        "were started meanwhile: a robot runs on real time.",
    },
    "software": {
        "software_version": "Update the robot's software to 1.2.0: messages of other versions may "
        "differ from those that baxterkit sends and reads.",
        "software_unknown": "Wait until the robot has booted; if it has, check that it runs the "
        "SDK (RSDK), not Rethink's manufacturing software.",
        "robot_class": "Connect to a Baxter: baxterkit has the model of no other robot.",
        "no_description": "Wait until the robot has booted, or give your own model: "
        "connect(..., robot='robot.toml').",
        "description_unreadable": "Restart the robot, or give your own model: "
        "connect(..., robot='robot.toml').",
        "message_type": "End the program that publishes the topic with this type, or update the "
        "robot's software to 1.2.0.",
    },
    "state": {
        "estop_pressed": "Turn the red button until it springs out; then call enable(), which "
        "resets the stop.",
        "estop_unknown": "Plug in the emergency stop's cable at the robot's back and restart the "
        "robot.",
        "stopped": "Make sure that nobody is in danger, then call enable(), which resets the stop.",
        "error_state": "Press and release the emergency stop, then call enable(). If the error "
        "stays, restart the robot and read /diagnostics.",
        "diagnostics_error": "Read /diagnostics for the part at fault, and restart the robot.",
        "contact": "Free the arm from what it touches: squeeze its cuff and move it by hand.",
        "cuff_squeezed": "Let go of the cuff. If nobody holds it, its switch is stuck: "
        "squeeze it a few times.",
    },
    "calibration": {
        "calibration_failed": "Calibrate the arm again with nothing in its hand and nothing in "
        "reach: `rosrun baxter_tools calibrate_arm.py -l <side>`.",
        "tare_failed": "Tare the arm again with nothing in its hand and nothing in reach: "
        "`rosrun baxter_tools tare.py -l <side>`.",
        "torque_offset": "Empty the hand and free the arm; if the torque stays, tare it: "
        "`rosrun baxter_tools tare.py -l <side>`.",
        "beyond_limits": "Calibrate the arm: `rosrun baxter_tools calibrate_arm.py -l <side>`.",
        "tip_differs": "Give the tool that the hand wears: "
        "connect(..., robot=Baxter(Arm('left', 'electric_standard'), ...)).",
        "gripper_error": "Unplug the gripper and plug it in again, then calibrate it: "
        "robot.<side>.calibrate_gripper().",
        "controllers_not_loaded": "Restart the robot: its controllers were not loaded at boot.",
    },
    "publishers": {
        "joints_missing": "Wait until the robot has booted; if it has, restart it: the node of "
        "its joints is not running.",
        "joints_silent": "Restart the robot: its node is there, but sends nothing.",
        "state_missing": "Wait until the robot has booted; if it has, restart it: nobody "
        "publishes /robot/state.",
        "state_silent": "Restart the robot: the node that publishes /robot/state sends nothing.",
        "endpoint_silent": "Restart the robot: one of its nodes does not compute the tip's pose.",
        "states_stopped": "Check the cable and the robot's power, and run the doctor again.",
        "two_robots": "End the other one, such as a forgotten twin or mock; then run "
        "`rosnode cleanup`.",
        "two_joint_publishers": "End the other one, such as a joint_state_publisher of a launch "
        "file: two sources make the arms seem to jump.",
        "arm_missing": "Check the arm's cable in the torso and restart the robot.",
        "no_velocities": "End the node that publishes joints without velocities, such as a "
        "relay; without them nobody knows where an arm comes to rest.",
        "not_finite": "Restart the robot; if it stays, calibrate the arm of that joint.",
        "values_frozen": "Restart the robot: real sensors are never this still.",
    },
    "other programs": {
        "rival_commands": "End that program: the robot obeys whoever spoke last.",
        "rival_timeout": "End that program: with another command timeout, no prediction of where "
        "an arm stops holds.",
        "rival_enable": "End that program: it enables, disables, resets or stops the robot while "
        "you use it.",
        "gravity_suppressed": "End that program: without gravity compensation the arm sinks.",
    },
    "rates": {
        "joints_slow": "Publish 100 on /robot/joint_state_publish_rate: another program has "
        "lowered the rate.",
        "state_slow": "Restart the robot, and use a cable instead of WiFi.",
        "gaps": "Use a cable instead of WiFi, and end programs that load the robot's computer, "
        "such as cameras.",
        "late_states": "Use a cable instead of WiFi, and end large transfers such as camera "
        "images: states come in bursts.",
    },
    "this computer": {
        "loop_late": "End other programs on this computer, or allow baxterkit to go first "
        "(`nice` in /etc/security/limits.conf).",
        "gate_slow": "Use a faster computer, or end other programs: every command is checked "
        "before it is sent.",
    },
}

ADVICE: dict[str, Advice] = {
    name: Advice(area, fix) for area, fixes in _TABLE.items() for name, fix in fixes.items()
}
"""Name of a finding -> what it is about, and what to do."""
AREAS = tuple(_TABLE)
"""Parts of the examination, in their order."""
