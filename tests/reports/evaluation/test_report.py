"""Study C's page: what has no content is not on it."""

from dataclasses import replace

from reports.evaluation.report import evaluation_page
from tests.reports.test_printed_reports import evaluated


def test_a_section_without_content_is_on_no_page_and_in_no_list_and_its_words_in_no_help() -> None:
    contents = evaluated()
    whole = evaluation_page(contents)
    assert 'id="answers"' in whole
    assert 'id="papers"' not in whole
    summary = contents.tables["evaluation_summary"]
    of_scores = summary[summary["statistic"] == "srcc"]
    page = evaluation_page(replace(contents, tables={**contents.tables, "evaluation_summary": of_scores}))
    assert 'id="scores"' in page
    for gone in ('id="answers"', 'href="#answers"', "No data set holds answers"):
        assert gone not in page
    assert ('id="term-recall"' in whole, 'id="term-recall"' in page) == (True, False)
