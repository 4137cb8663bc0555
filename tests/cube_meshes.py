"""A `baxter_description` whose meshes are all cubes of 0.2 m."""

from __future__ import annotations

from pathlib import Path

from baxterkit.look.meshes import ARM_FILES, NECK_FILE, SCREEN_FILE, TORSO_FILES

CUBE = """<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <library_effects>
    <effect id="red-effect"><profile_COMMON><technique><phong><diffuse>
      <color sid="diffuse">0.5 0 0 1</color></diffuse></phong></technique></profile_COMMON></effect>
  </library_effects>
  <library_materials>
    <material id="red"><instance_effect url="#red-effect"/></material>
  </library_materials>
  <library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array count="24">
      -.1 -.1 -.1 .1 -.1 -.1 .1 .1 -.1 -.1 .1 -.1 -.1 -.1 .1 .1 -.1 .1 .1 .1 .1 -.1 .1 .1
    </float_array></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <polylist material="red" count="5">
      <input semantic="VERTEX" source="#v" offset="0"/>
      <input semantic="NORMAL" source="#n" offset="1"/>
      <vcount>4 4 4 4 4</vcount>
      <p>0 0 3 0 2 0 1 0  4 1 5 1 6 1 7 1  0 2 1 2 5 2 4 2  1 3 2 3 6 3 5 3  2 4 3 4 7 4 6 4</p>
    </polylist>
    <triangles count="2">
      <input semantic="VERTEX" source="#v" offset="0"/>
      <p>3 0 4 3 4 7</p>
    </triangles>
  </mesh></geometry></library_geometries>
</COLLADA>
"""


def cube_description(folder: Path) -> Path:
    """Writes it to a folder."""
    for name in (*ARM_FILES, *TORSO_FILES, NECK_FILE, SCREEN_FILE):
        path = folder / "meshes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(CUBE, encoding="utf-8")
    return folder
