"""A list as CSV: in UTF-8 with the mark by which spreadsheets know it, its last line a note of what it is."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .columns import csv_column, neutral
from .sheet import Sheet


def write_csv(sheet: Sheet, path: Path, wrote: Callable[[Sequence[tuple[Any, ...]]], None]) -> int:
    """Write the sheet to `path`, and return how many rows it has; `wrote` is told of each batch."""
    converts = [csv_column(column) for column in sheet.columns]
    rows = withheld = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write("\ufeff")  # the codec that writes it by itself is a slow one
        writer = csv.writer(file)
        writer.writerow(map(neutral, sheet.heads))
        for batch in sheet.stream.batches:
            values = list(zip(*batch, strict=True))
            cells = []
            for convert, place, flag in zip(converts, sheet.places, sheet.flags, strict=True):
                column = convert(values[place])
                if flag is not None:
                    told = values[flag]
                    withheld += sum(map(bool, told))
                    column = [sheet.withheld if closed else one for one, closed in zip(column, told, strict=True)]
                cells.append(column)
            writer.writerows(zip(*cells, strict=True))
            rows += len(batch)
            wrote(batch)
        # That it is there says that the file is whole.
        note = " · ".join(f"{name}: {said}" for name, said in sheet.closing_facts(rows, withheld))
        writer.writerow([neutral(note)])
    return rows
