"""What the page says of the queries that every reviewer is asked about."""

from review.parts import shared_in_words


def test_some_shared_queries_are_counted_and_the_others_explained() -> None:
    assert shared_in_words(3, 21, 0.1) == (
        "3 of 21 disagreements are shared: every reviewer is asked about them, so that agreement between reviewers can "
        "be measured. Each of the others is offered to one reviewer first."
    )


def test_where_all_are_shared_there_are_no_others() -> None:
    assert shared_in_words(1, 1, 1.0).endswith("so that agreement between reviewers can be measured.")


def test_where_none_is_shared_the_page_says_what_that_means_and_which_key_sets_it() -> None:
    said = shared_in_words(0, 5, 0.1)
    assert said.startswith("No disagreement is shared: each is offered to one reviewer first.")
    assert said.endswith("is `review.overlap` in the configuration, now 10%.")
