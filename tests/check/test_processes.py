"""The same work by several processes: in order, and as deep as it is asked for."""

import pytest

from lifecycle.check.processes import do_all

pytestmark = pytest.mark.slow


def square_all(numbers, processes):
    return list(do_all(lambda number: number * number, numbers, processes))


def test_results_come_in_the_order_of_the_jobs():
    assert square_all(range(7), 3) == square_all(range(7), 1) == [0, 1, 4, 9, 16, 25, 36]


def test_a_process_may_have_processes_of_its_own():
    def work(size):
        return [*square_all(range(size), 2), size]

    assert list(do_all(work, [2, 3], 2)) == [[0, 1, 2], [0, 1, 4, 3]]


def test_what_goes_wrong_in_a_process_is_raised_where_the_results_are_read():
    def work(number):
        if number == 2:
            raise ValueError("no two")
        return number

    found = do_all(work, [1, 2, 3], 2)
    assert next(found) == 1
    with pytest.raises(ValueError, match="no two"):
        next(found)
