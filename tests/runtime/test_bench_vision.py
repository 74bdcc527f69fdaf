"""The detector that the card reader's time is measured against has the size it is said to have."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from cardsight.classify import FACES
from croupier_bench.detector import BOX_OUT, SIDE_PX, detector, network


def test_it_has_the_operations_and_weights_of_a_yolo_n() -> None:
    net, shape = cv2.dnn.readNetFromONNX(np.frombuffer(network(), np.uint8)), (1, 3, SIDE_PX, SIDE_PX)
    assert net.getFLOPS(shape) == pytest.approx(8.7e9, rel=0.07)
    weights_bytes, _ = net.getMemoryConsumption(shape)
    assert weights_bytes / 4 == pytest.approx(3.2e6, rel=0.07)


def test_it_answers_boxes_and_classes_at_three_sizes() -> None:
    _runtime, run = detector()
    answers = run(np.full((1080, 1920, 3), 90, np.uint8))
    assert [answer.shape for answer in answers] == [
        (1, width, side, side) for side in (80, 40, 20) for width in (BOX_OUT, len(FACES))
    ]
    assert all(np.isfinite(answer).all() for answer in answers)
