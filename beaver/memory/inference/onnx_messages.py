"""The parts of ONNX's format that we read or write, as protocol buffers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

FLOAT: Final = 1
UINT8: Final = 2
INT8: Final = 3
INT64: Final = 7
"""Types of a tensor's numbers."""
A_FLOAT: Final = 1
AN_INTEGER: Final = 2
"""The types of an attribute whose value is in `f` and in `i`."""

_PACKAGE: Final = "beaver.onnx"
_TYPES: Final = {
    "text": FieldDescriptorProto.TYPE_STRING,
    "bytes": FieldDescriptorProto.TYPE_BYTES,
    "whole": FieldDescriptorProto.TYPE_INT64,
    "float": FieldDescriptorProto.TYPE_FLOAT,
    "kind": FieldDescriptorProto.TYPE_INT32,
}
# A field's number and type, as ONNX's published schema has them; "*" stands for many.
_MESSAGES: Final[Mapping[str, Mapping[str, tuple[int, str]]]] = {
    "Attribute": {"name": (1, "text"), "f": (2, "float"), "i": (3, "whole"), "type": (20, "kind")},
    "Node": {
        "input": (1, "text*"),
        "output": (2, "text*"),
        "op_type": (4, "text"),
        "attribute": (5, "Attribute*"),
        "domain": (7, "text"),
    },
    "Tensor": {"dims": (1, "whole*"), "data_type": (2, "kind"), "name": (8, "text"), "raw_data": (9, "bytes")},
    "TensorType": {"elem_type": (1, "kind")},
    "Type": {"tensor_type": (1, "TensorType")},
    "ValueInfo": {"name": (1, "text"), "type": (2, "Type")},
    "Graph": {
        "node": (1, "Node*"),
        "name": (2, "text"),
        "initializer": (5, "Tensor*"),
        "input": (11, "ValueInfo*"),
        "output": (12, "ValueInfo*"),
    },
    "OperatorSet": {"domain": (1, "text"), "version": (2, "whole")},
    "Model": {"ir_version": (1, "whole"), "graph": (7, "Graph"), "opset_import": (8, "OperatorSet*")},
}


def _file() -> FileDescriptorProto:
    file = FileDescriptorProto(name=f"{_PACKAGE}.proto", package=_PACKAGE, syntax="proto2")
    for message, fields in _MESSAGES.items():
        described = file.message_type.add(name=message)
        for name, (number, kind) in fields.items():
            field = described.field.add(name=name, number=number)
            field.label = (
                FieldDescriptorProto.LABEL_REPEATED if kind[-1] == "*" else FieldDescriptorProto.LABEL_OPTIONAL
            )
            _set_type(field, kind.rstrip("*"))
    return file


def _set_type(field: FieldDescriptorProto, kind: str) -> None:
    if kind in _TYPES:
        field.type = _TYPES[kind]
    else:
        field.type, field.type_name = FieldDescriptorProto.TYPE_MESSAGE, f".{_PACKAGE}.{kind}"


_POOL: Final = DescriptorPool()
_POOL.Add(_file())


def _message(name: str) -> Any:
    return GetMessageClass(_POOL.FindMessageTypeByName(f"{_PACKAGE}.{name}"))


Attribute, Graph, Model = (_message(name) for name in ("Attribute", "Graph", "Model"))
