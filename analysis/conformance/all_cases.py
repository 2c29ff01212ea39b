"""Every published number that the statistics are held against."""

from analysis.conformance.case import Case
from analysis.conformance.cases_of_agreement import OF_AGREEMENT
from analysis.conformance.cases_of_preference import OF_PREFERENCE
from analysis.conformance.cases_of_tests import OF_TESTS

CASES: list[Case] = [*OF_AGREEMENT, *OF_PREFERENCE, *OF_TESTS]
