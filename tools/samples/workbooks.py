"""Small workbooks as Excel and LibreOffice save them, the same bytes each time."""

import zipfile
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

Cell = str | float | None
_MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_ODS_NAMES = ("office", "table", "text")
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def excel(path: Path, **sheets: Sequence[Sequence[Cell]]) -> Path:
    """A workbook of these sheets."""
    with zipfile.ZipFile(path, "w") as archive:
        parts = "".join(
            f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="application/vnd.openxmlformats-'
            'officedocument.spreadsheetml.worksheet+xml"/>'
            for n in range(1, len(sheets) + 1)
        )
        _put(
            archive,
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName='
            '"/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
            '.main+xml"'
            f"/>{parts}</Types>",
        )
        _put(
            archive,
            "_rels/.rels",
            f'<Relationships xmlns="{_RELATIONS}"><Relationship Id="r1" Type="{_OFFICE}/officeDocument" '
            'Target="xl/workbook.xml"/></Relationships>',
        )
        names = "".join(f'<sheet name="{escape(name)}" sheetId="{n}" r:id="r{n}"/>' for n, name in enumerate(sheets, 1))
        _put(archive, "xl/workbook.xml", f'<workbook {_MAIN} xmlns:r="{_OFFICE}"><sheets>{names}</sheets></workbook>')
        targets = "".join(
            f'<Relationship Id="r{n}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>'
            for n in range(1, len(sheets) + 1)
        )
        _put(archive, "xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{_RELATIONS}">{targets}</Relationships>')
        for n, rows in enumerate(sheets.values(), 1):
            _put(archive, f"xl/worksheets/sheet{n}.xml", _sheet(rows))
    return path


def opendocument(path: Path, **sheets: Sequence[Sequence[Cell]]) -> Path:
    """The same as LibreOffice saves it."""
    tables = "".join(
        f'<table:table table:name="{escape(name)}">{"".join(map(_ods_row, rows))}</table:table>'
        for name, rows in sheets.items()
    )
    spaces = " ".join(f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in _ODS_NAMES)
    with zipfile.ZipFile(path, "w") as archive:
        _put(archive, "mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        content = f"<office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body>"
        version = 'office:version="1.2"'
        kind = 'manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"'
        entry = f'<manifest:file-entry manifest:full-path="/" {kind}/>'
        space = 'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"'
        _put(archive, "META-INF/manifest.xml", f"<manifest:manifest {space}>{entry}</manifest:manifest>")
        _put(archive, "content.xml", f"<office:document-content {spaces} {version}>{content}</office:document-content>")
    return path


def _ods_row(row: Sequence[Cell]) -> str:
    cells = []
    for cell in row:
        if cell is None:
            cells.append("<table:table-cell/>")
        elif isinstance(cell, str):
            text = f"<text:p>{escape(cell)}</text:p>"
            cells.append(f'<table:table-cell office:value-type="string">{text}</table:table-cell>')
        else:
            shown = f'office:value-type="float" office:value="{cell}"'
            cells.append(f"<table:table-cell {shown}><text:p>{cell}</text:p></table:table-cell>")
    return f"<table:table-row>{''.join(cells)}</table:table-row>"


def _put(archive: zipfile.ZipFile, name: str, text: str) -> None:
    """A part with a date that never changes."""
    archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), text)


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
