"""Functions of NumPy that have no meaning for arrays with units, and why."""

_STRINGS = "it works on strings"
_DATES = "it works on NumPy's calendar dates, which are no quantities"
_RECORDS = "it works on structured arrays, whose fields would need a unit each"

UFUNCS: dict[str, str] = {
    "isnat": _DATES,
    **dict.fromkeys(
        (
            *("_center", "_expandtabs", "_expandtabs_length", "_ljust", "_lstrip_chars"),
            *("_lstrip_whitespace", "_partition", "_partition_index", "_replace", "_rjust"),
            *("_rpartition", "_rpartition_index", "_rstrip_chars", "_rstrip_whitespace"),
            *("_slice", "_strip_chars", "_strip_whitespace", "_zfill", "count", "endswith"),
            *("find", "index", "isalnum", "isalpha", "isdecimal", "isdigit", "islower"),
            *("isnumeric", "isspace", "istitle", "isupper", "rfind", "rindex", "startswith"),
            "str_len",
        ),
        _STRINGS,
    ),
}

_DATE_FUNCTIONS = ("busday_count", "busday_offset", "datetime_as_string", "is_busday")

_RECORD_FUNCTIONS = (
    *("append_fields", "apply_along_fields", "assign_fields_by_name", "drop_fields"),
    *("find_duplicates", "join_by", "merge_arrays", "rec_append_fields", "rec_drop_fields"),
    *("rec_join", "recursive_fill_fields", "rename_fields", "repack_fields", "require_fields"),
    *("stack_arrays", "structured_to_unstructured", "unstructured_to_structured"),
)

_STRING_FUNCTIONS = (
    *("_join", "_rsplit", "_split", "_splitlines", "capitalize", "center", "decode", "encode"),
    *("expandtabs", "ljust", "lower", "mod", "multiply", "partition", "replace", "rjust"),
    *("rpartition", "swapcase", "title", "translate", "upper", "zfill"),
)

_COMPARED_STRINGS = ("equal", "greater", "greater_equal", "less", "less_equal", "not_equal")

FUNCTIONS: dict[str, str] = {
    **dict.fromkeys(_DATE_FUNCTIONS, _DATES),
    **dict.fromkeys([f"lib.recfunctions.{name}" for name in _RECORD_FUNCTIONS], _RECORDS),
    **dict.fromkeys([f"strings.{name}" for name in _STRING_FUNCTIONS], _STRINGS),
    **dict.fromkeys([f"char.{name}" for name in _COMPARED_STRINGS], _STRINGS),
}
