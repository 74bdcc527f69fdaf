"""Photometric augmentation: light, lens and camera. Pictures are float32 BGR, 0…1."""

from __future__ import annotations

import cv2
import numpy as np

Array = np.ndarray
Random = np.random.Generator


def smooth_noise(rng: Random, height: int, width: int, cells: int) -> Array:
    """Return a smooth random field, -1…1, with about ``cells`` hills along the longer side."""
    rows = max(2, round(cells * height / max(height, width)))
    cols = max(2, round(cells * width / max(height, width)))
    field = rng.uniform(-1, 1, (rows + 1, cols + 1)).astype(np.float32)
    return cv2.resize(field, (width, height), interpolation=cv2.INTER_CUBIC)


def lit(rng: Random, image: Array) -> Array:
    """Vary the light: gradient, soft shadow, color of the lamp, exposure, contrast."""
    height, width = image.shape[:2]
    light = np.ones((height, width), np.float32)
    if rng.random() < 0.8:
        light += rng.uniform(0.05, 0.5) * smooth_noise(rng, height, width, 2)
    if rng.random() < 0.3:
        points = rng.uniform(-0.3, 1.3, (int(rng.integers(3, 6)), 2)) * (width, height)
        shadow = np.zeros((height, width), np.float32)
        cv2.fillConvexPoly(shadow, cv2.convexHull(points.astype(np.int32)), 1.0)
        blur = max(3, int(rng.uniform(0.01, 0.1) * width) | 1)
        light *= 1 - rng.uniform(0.2, 0.65) * cv2.GaussianBlur(shadow, (blur, blur), 0)
    gains = rng.normal(1, 0.12, 3) if rng.random() < 0.8 else rng.uniform(0.55, 1.25, 3)
    image = image * (np.maximum(light, 0.1)[..., None] * gains.astype(np.float32))
    if rng.random() < 0.6:
        gray = cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
        strength = float(rng.uniform(0.5, 1.35))
        image = cv2.addWeighted(image, strength, gray, 1 - strength, 0)
    exposure = rng.uniform(0.75, 1.25) if rng.random() < 0.7 else rng.uniform(0.22, 1.7)
    image = cv2.pow(np.clip(image * np.float32(exposure), 0, 1), float(rng.uniform(0.7, 1.4)))
    if rng.random() < 0.3:
        image = image * np.float32(rng.uniform(0.5, 0.9)) + np.float32(rng.uniform(0, 0.2))
    return np.asarray(image, np.float32)


def glare(rng: Random, image: Array) -> Array:
    """Add one or two reflections of lamps."""
    height, width = image.shape[:2]
    for _ in range(int(rng.integers(1, 3))):
        spot = np.zeros((height, width), np.float32)
        center = (int(rng.uniform(0, width)), int(rng.uniform(0, height)))
        axes = (int(rng.uniform(0.02, 0.15) * width) + 1, int(rng.uniform(0.02, 0.12) * width) + 1)
        cv2.ellipse(spot, center, axes, float(rng.uniform(0, 180)), 0, 360, 1.0, -1)
        blur = max(3, int(rng.uniform(0.02, 0.15) * width) | 1)
        spot = cv2.GaussianBlur(spot, (blur, blur), 0)
        image = image + spot[..., None] * np.float32(rng.uniform(0.15, 0.8))
    return np.clip(image, 0, 1)


def shot(rng: Random, image: Array) -> Array:
    """Add blur, noise and JPEG artifacts. Returns uint8."""
    height, width = image.shape[:2]
    dice = rng.random()
    if dice < 0.35:
        image = cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.3, 1.5)))
    elif dice < 0.45:
        length = int(rng.integers(2, 6))
        kernel = np.zeros((length, length), np.float32)
        if rng.random() < 0.5:
            np.fill_diagonal(kernel, 1.0)
        else:
            kernel[length // 2] = 1.0
        kernel = kernel if rng.random() < 0.5 else kernel.T[::-1]
        image = cv2.filter2D(image, -1, np.ascontiguousarray(kernel / kernel.sum()))
    elif dice < 0.55:
        k = float(rng.uniform(0.4, 0.8))
        small = cv2.resize(image, None, fx=k, fy=k, interpolation=cv2.INTER_AREA)
        image = cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR)
    elif dice < 0.7:
        soft = cv2.GaussianBlur(image, (0, 0), 1.2)
        image = image + np.float32(rng.uniform(0.3, 1.5)) * (image - soft)
    if rng.random() < 0.6:
        grain = rng.standard_normal((height, width, 1 if rng.random() < 0.5 else 3), np.float32)
        image = image + grain * np.float32(rng.uniform(0.003, 0.05))
    out = (np.clip(image, 0, 1) * 255).astype(np.uint8)
    if rng.random() < 0.5:
        _, packed = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(35, 95))])
        out = cv2.imdecode(packed, cv2.IMREAD_COLOR)
    return out
