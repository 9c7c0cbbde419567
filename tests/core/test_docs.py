"""Every public function says what it is, and its example runs."""

import doctest
import inspect

import pytest

import minitape as tf

MODULES = {"tf": tf, **{f"tf.{part}": getattr(tf, part) for part in ("math", "nn", "linalg", "random", "debugging")}}
FUNCTIONS = {
    f"{title}.{name}": getattr(module, name)
    for title, module in MODULES.items()
    for name in module.__all__
    if inspect.isfunction(getattr(module, name))
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_is_described_and_its_example_runs(name):
    function = FUNCTIONS[name]
    doc = function.__doc__ or ""
    first = doc.strip().partition("\n")[0]
    assert first.endswith((".", ")", "?")), first
    assert len(first) <= 120
    assert "tf." in doc or "minitape" in doc
    example = doctest.DocTestParser().get_doctest(inspect.cleandoc(doc), {}, name, None, None)
    assert example.examples, "no example"
    said = []
    doctest.DocTestRunner(optionflags=0).run(example, out=said.append)
    assert not said, "".join(said)
