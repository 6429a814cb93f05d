"""What users apply to functions of arrays: check, checked."""

from dimflow.transforms.checked_functions import checked
from dimflow.transforms.checking import check
from dimflow.transforms.location import Location
from dimflow.transforms.spec import Spec

__all__ = ["Location", "Spec", "check", "checked"]
