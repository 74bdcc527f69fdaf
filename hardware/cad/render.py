"""Pictures of the assembly, drawn by VTK without a screen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import cos, radians, sin
from pathlib import Path
from typing import Any, Final

import numpy as np
import vtk

from hardware.cad.assembly import Item

COLORS: Final = {
    "body": (0.36, 0.45, 0.56), "light": (0.80, 0.83, 0.86), "accent": (0.93, 0.58, 0.18), "steel": (0.70, 0.71, 0.73),
    "dark": (0.20, 0.21, 0.24), "rubber": (0.12, 0.12, 0.12), "card": (0.97, 0.96, 0.92), "board": (0.12, 0.45, 0.28),
    "white": (0.97, 0.97, 0.97), "red": (0.83, 0.15, 0.15), "yellow": (0.95, 0.80, 0.15), "green": (0.18, 0.60, 0.28),
    "blue": (0.15, 0.36, 0.75), "old": (0.84, 0.86, 0.89),
}  # fmt: skip
"""Colors of printed parts (blue-gray, light gray, orange) and bought parts (metal, black, green); ``old``: parts of the
steps before."""


FINE: Final = 0.004
"""Largest deviation of the triangles from a curve, as a fraction of its size."""


@dataclass(frozen=True, slots=True)
class View:
    """The point of view: degrees round the z axis (0 looks along -y), degrees above the table; ``zoom`` above 1 is
    nearer."""

    around: float = 35.0
    above: float = 28.0
    zoom: float = 1.0
    size: tuple[int, int] = (900, 640)


@dataclass(frozen=True, slots=True)
class Drawn:
    """An item to draw: offset, color, opacity (1: solid)."""

    item: Item
    by: tuple[float, float, float] = (0.0, 0.0, 0.0)
    color: str = ""
    solid: float = 1.0


vtk.vtkLogger.SetStderrVerbosity(vtk.vtkLogger.VERBOSITY_OFF)  # VTK complains without a screen


def picture(things: Iterable[Drawn], path: Path, view: View = View()) -> None:
    """Draw things into a PNG file."""
    renderer = vtk.vtkRenderer()
    renderer.SetBackground(1, 1, 1)
    for thing in things:
        _add(renderer, thing)
    window = vtk.vtkRenderWindow()
    window.SetOffScreenRendering(1)
    window.SetMultiSamples(8)
    window.SetSize(*view.size)
    window.AddRenderer(renderer)
    _look(renderer, view)
    window.Render()
    image = vtk.vtkWindowToImageFilter()
    image.SetInput(window)
    image.ReadFrontBufferOff()
    few = vtk.vtkImageQuantizeRGBToIndex()  # few colors make small files
    few.SetInputConnection(image.GetOutputPort())
    few.SetNumberOfColors(96)
    few.Update()
    palette = vtk.vtkImageMapToColors()
    palette.SetInputConnection(few.GetOutputPort())
    palette.SetLookupTable(few.GetLookupTable())
    palette.SetOutputFormatToRGB()
    writer = vtk.vtkPNGWriter()
    writer.SetCompressionLevel(9)
    writer.SetFileName(str(path))
    writer.SetInputConnection(palette.GetOutputPort())
    writer.Write()


def _add(renderer: Any, thing: Drawn) -> None:
    shape = thing.item.shape.translate(thing.by).val()
    color = COLORS[thing.color or thing.item.color]
    surface = vtk.vtkPolyDataMapper()
    surface.SetInputData(shape.toVtkPolyData(FINE, 0.15, True))
    surface.ScalarVisibilityOff()
    surface.SetResolveCoincidentTopologyToPolygonOffset()
    body = vtk.vtkActor()
    body.SetMapper(surface)
    body.GetProperty().SetColor(*color)
    body.GetProperty().SetOpacity(thing.solid)
    body.GetProperty().SetAmbient(0.25)
    body.GetProperty().SetDiffuse(0.75)
    renderer.AddActor(body)
    edges = vtk.vtkFeatureEdges()
    edges.SetInputData(shape.toVtkPolyData(FINE, 0.15, False))
    edges.SetFeatureAngle(35)
    edges.BoundaryEdgesOff()
    edges.NonManifoldEdgesOff()
    edges.ColoringOff()
    lines = vtk.vtkPolyDataMapper()
    lines.SetInputConnection(edges.GetOutputPort())
    line = vtk.vtkActor()
    line.SetMapper(lines)
    line.GetProperty().SetColor(0.08, 0.09, 0.12)
    line.GetProperty().SetLineWidth(1.3)
    line.GetProperty().SetOpacity(thing.solid)
    renderer.AddActor(line)


def _look(renderer: Any, view: View) -> None:
    """Set the camera, with everything just inside the picture."""
    turn, lift = radians(view.around), radians(view.above)
    away = np.array((sin(turn) * cos(lift), -cos(turn) * cos(lift), sin(lift)))
    right = np.array((cos(turn), sin(turn), 0.0))
    up = np.cross(away, right)
    bounds = [actor.GetBounds() for actor in renderer.GetActors()]
    corners = np.array([(x, y, z) for b in bounds for x in b[0:2] for y in b[2:4] for z in b[4:6]])
    spans = [(corners @ axis).min() + np.ptp(corners @ axis) / 2 for axis in (right, up, away)]
    middle = right * spans[0] + up * spans[1] + away * spans[2]
    width, height = view.size
    camera = renderer.GetActiveCamera()
    camera.ParallelProjectionOn()
    camera.SetFocalPoint(*middle)
    camera.SetPosition(*(middle + away * 2_000))
    camera.SetViewUp(0, 0, 1)
    camera.SetParallelScale(max(np.ptp(corners @ up), np.ptp(corners @ right) * height / width) / 2 * 1.04 / view.zoom)
    renderer.ResetCameraClippingRange()
