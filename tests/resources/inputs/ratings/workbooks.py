"""Small workbooks as Excel and LibreOffice save them, for tests."""

import zipfile
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

Cell = str | float | None
_MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def excel(path: Path, **sheets: Sequence[Sequence[Cell]]) -> Path:
    """A workbook of these sheets."""
    with zipfile.ZipFile(path, "w") as archive:
        parts = "".join(
            f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="application/vnd.openxmlformats-'
            'officedocument.spreadsheetml.worksheet+xml"/>'
            for n in range(1, len(sheets) + 1)
        )
        archive.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName='
            '"/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
            '.main+xml"'
            f"/>{parts}</Types>",
        )
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{_RELATIONS}"><Relationship Id="r1" Type="{_OFFICE}/officeDocument" '
            'Target="xl/workbook.xml"/></Relationships>',
        )
        names = "".join(f'<sheet name="{escape(name)}" sheetId="{n}" r:id="r{n}"/>' for n, name in enumerate(sheets, 1))
        archive.writestr(
            "xl/workbook.xml", f'<workbook {_MAIN} xmlns:r="{_OFFICE}"><sheets>{names}</sheets></workbook>'
        )
        targets = "".join(
            f'<Relationship Id="r{n}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>'
            for n in range(1, len(sheets) + 1)
        )
        archive.writestr("xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{_RELATIONS}">{targets}</Relationships>')
        for n, rows in enumerate(sheets.values(), 1):
            archive.writestr(f"xl/worksheets/sheet{n}.xml", _sheet(rows))
    return path


def _sheet(rows: Sequence[Sequence[Cell]]) -> str:
    lines = []
    for number, row in enumerate(rows, 1):
        cells = []
        for column, cell in enumerate(row):
            place = f"{chr(65 + column)}{number}"
            if isinstance(cell, str):
                cells.append(f'<c r="{place}" t="inlineStr"><is><t>{escape(cell)}</t></is></c>')
            elif cell is not None:
                cells.append(f'<c r="{place}"><v>{cell}</v></c>')
        lines.append(f'<row r="{number}">{"".join(cells)}</row>')
    return f"<worksheet {_MAIN}><sheetData>{''.join(lines)}</sheetData></worksheet>"
