"""What a memory tool needs of the SDK, in its form, for machines without it."""

from abc import ABC, abstractmethod


class ToolError(Exception):
    def __init__(self, content):
        super().__init__(content)
        self.content = content


class Command:
    def __init__(self, fields):
        self._fields = fields
        self.command = fields["command"]

    def to_dict(self):
        return self._fields


class BetaAbstractMemoryTool(ABC):
    def __init__(self, *, cache_control=None):
        self._cache_control = cache_control

    def call(self, input):
        return getattr(self, input["command"])(Command(input))

    @abstractmethod
    def view(self, command): ...

    @abstractmethod
    def create(self, command): ...

    @abstractmethod
    def str_replace(self, command): ...

    @abstractmethod
    def insert(self, command): ...

    @abstractmethod
    def delete(self, command): ...

    @abstractmethod
    def rename(self, command): ...
