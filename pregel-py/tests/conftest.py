"""What several tests use."""

import pytest


class BeforeVersion1:
    """An array as those see it that do not know DLPack 1.0."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **_):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


@pytest.fixture
def before_version_1():
    return BeforeVersion1
