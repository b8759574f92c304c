"""Programs go to other processes, as functions do."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import warnings

import numpy as np
import pytest

import stencilgen as sg
from conftest import numpy_heat, random_array

j, i = sg.iterators("j i")


@sg.stencil
def double(out, u):
    out[j, i] = 2 * u[j, i]


@sg.program
def doubled(u: sg.array("M N")):
    v = np.empty_like(u)
    double(v, u)
    double(u, v)


def run_one(program):
    result = program.run(np.ones((3, 4)))
    return float(np.sum(result))


def test_a_program_is_made_again_from_its_text(heat):
    again = pickle.loads(pickle.dumps(heat))
    u = random_array(6, 7)
    np.testing.assert_array_equal(again.run(u=u, alpha=0.1), numpy_heat(u, 0.1, 3))
    assert again.name == heat.name and again.idsl == heat.idsl
    assert np.array_equal(copy.deepcopy(heat).run(u=u, alpha=0.1), numpy_heat(u, 0.1, 3))


def test_options_go_with_it_and_warnings_are_not_given_twice():
    text = "parameter N; iterator i; double u[N], v[N]; copyin u; v[i] = u[i-1]; copyout v;"
    with pytest.warns(sg.ProgramWarning):
        program = sg.compile(text, name="shift", target="cpp", define={"N": 9}, fp="strict")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = pickle.loads(pickle.dumps(program))
    assert str(again.__signature__) == str(program.__signature__)
    assert again.source == program.source
    assert [one.id for one in again.diagnostics] == ["copyout-partly-written"]


def test_functions_go_by_their_names():
    assert pickle.loads(pickle.dumps(double)) is double
    assert pickle.loads(pickle.dumps(doubled)) is doubled
    assert copy.deepcopy(doubled) is doubled


def test_processes_that_are_spawned_run_programs():
    text = "parameter M, N; iterator j, i; double u[M,N]; copyin u; u[j][i] += 1.0; copyout u;"
    plus = sg.compile(text, name="plus")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(run_one, [doubled, plus]) == [48.0, 24.0]


def test_explanations_and_errors_are_kept(heat):
    for plan in (heat.explain(M=9, N=9), doubled.explain(M=9, N=9)):
        again = pickle.loads(pickle.dumps(plan))
        assert again == plan and again.report == plan.report
    with pytest.raises(sg.CompileError) as found:
        sg.compile("parameter N; iterator i; double u[N]; u[i] = B[i];")
    again = pickle.loads(pickle.dumps(found.value))
    assert str(again) == str(found.value) and again.diagnostics == found.value.diagnostics
