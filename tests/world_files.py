"""Worlds as other programs write them: MoveIt's scenes, Gazebo's worlds, a URDF."""

MOVEIT = """(noname)+
* the table
0.9 0 -0.2
0 0 0.7071067811865476 0.7071067811865476
2
box
1.4 0.7 0.04
0 0 0
0 0 0 1
0.8 0.5 0.2 1
cylinder
0.03 0.7
0.1 0 -0.35
0 0 0 1
0 0 0 0
1
corner
0.7 0.35 0.02
0 0 0 1
* ball
1 0 0.5
0 0 0 1
1
sphere
0.1
0 0 0
0 0 0 1
0 0 0 0
0
.
"""
OLDER_MOVEIT = """lab
* post
1
cylinder
0.05 1.2
0.6 0.4 0.1
0 0 0 2
0 0 0 0
* floor
1
plane
0 0 2 1.86
0 0 0
0 0 0 1
0 0 0 0
.
"""
SDF = """<?xml version="1.0"?>
<sdf version="1.6"><world name="lab"><light name="sun"><pose>0 0 9 0 0 0</pose></light>
<model name="ground"><static>1</static><link name="l"><collision name="c"><geometry>
<plane><normal>0 0 1</normal><size>9 9</size></plane></geometry></collision></link></model>
<model name="table"><pose>0.9 0 0 0 0 1.5707963267948966</pose><link name="l">
<pose>0 0 0.7 0 0 0</pose><inertial><mass>3</mass></inertial>
<collision name="top"><geometry><box><size> 1.4 0.7
 0.04 </size></box></geometry></collision>
<collision name="leg"><pose>0.1 0 -0.35 0 0 0</pose><geometry>
<cylinder><radius>0.03</radius><length>0.7</length></cylinder></geometry></collision>
<collision name="none"><geometry><empty/></geometry></collision>
<visual name="v"><geometry><mesh><uri>model://table.dae</uri></mesh></geometry></visual>
</link></model></world></sdf>"""
URDF = """<robot name="shelf"><link name="a"><collision><origin xyz="0 0 0.5"/>
<geometry><box size="0.3 0.8 1"/></geometry></collision></link><link name="b"><collision>
<geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="j" type="prismatic"><parent link="a"/><child link="b"/><origin xyz="0 0 1.1"/>
<axis xyz="0 0 1"/><limit lower="0" upper="1" effort="1" velocity="1"/></joint></robot>"""
