"""The detectives as functions: what they take, what they give back, and that they leave the learner's work alone."""

import pytest

import minitape as tf


def square(x):
    return x * x


@tf.custom_gradient
def forgetful(x):
    return x * x, lambda dy: 2.0 * x


@tf.custom_gradient
def flipped(x):
    return tf.identity(x), lambda dy: -dy


class TestDiagnosis:
    def test_two_lines_first_then_detail_and_the_rest(self):
        x, u = tf.Variable(1.0), tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = x * 2.0
        found = tf.explain(tape, y, [u, x])
        what, fix, *rest = str(found).splitlines()
        assert what.endswith("without `u`: None stands for 0 here")
        assert fix.startswith('fix: tape.gradient(y, u, unconnected_gradients="zero")')
        assert rest == []
        assert repr(found).startswith("<Diagnosis unused, line ")

    def test_no_fault_is_said_as_such(self):
        x = tf.Variable(1.0)
        with tf.GradientTape() as tape:
            y = x * 2.0
        tape.gradient(y, x)
        found = tf.explain(tape, y, x)
        assert found.works
        assert str(found).splitlines()[:2] == ["connected: 1 recorded step from `x` to `y`", "nothing to mend"]
        assert tf.explain(tape, y, y).works
        assert tf.explain(tape, [], []).works

    def test_nothing_unescaped_reaches_a_page(self):
        scope = {"tf": tf}
        program = (
            "d = {'<img src=x>': tf.constant(1.0)}\nwith tf.GradientTape() as tape:\n    y = d['<img src=x>'] * 2.0\n"
        )
        exec(program, scope)
        found = eval("tf.explain(tape, y, d['<img src=x>'])", scope)
        assert "<img" in str(found)
        assert "<img" not in found._repr_html_()
        assert "&lt;img" in found._repr_html_()

    def test_several_sources_the_faults_first(self):
        x, u, w = tf.Variable(1.0), tf.Variable(2.0), tf.Variable(3.0, trainable=False)
        with tf.GradientTape() as tape:
            y = x * w
        found = tf.explain(tape, y, {"x": x, "u": u, "w": w})
        assert [one.cause for one in (found, *found.also)] == ["unused", "not-trainable"]


class TestCheckGradients:
    def test_the_figures(self):
        x = tf.constant([1.0, 2.0])
        found = tf.check_gradients(square, at=[x])
        assert found.works
        assert found.data.dtype == "float64"
        assert found.data.tape == pytest.approx(found.data.differences)
        assert found.data.tape == pytest.approx([2.0, 4.0])

    def test_it_raises_only_if_asked(self):
        x = tf.constant(3.0)
        assert tf.check_gradients(forgetful, at=x).cause == "forgot-dy"
        with pytest.raises(AssertionError, match="does not use `dy`"):
            tf.check_gradients(forgetful, at=x, raises=True)
        assert tf.check_gradients(flipped, at=x, raises=True).cause == "differs-on-purpose"

    def test_a_rule_that_is_meant_to_differ(self):
        @tf.custom_gradient
        def odd(x):
            return tf.sin(x), lambda dy: dy * 5.0

        x = tf.constant(1.0)
        assert tf.check_gradients(odd, at=[x]).cause == "wrong-rule"
        assert tf.check_gradients(odd, at=[x], intended=True, raises=True).cause == "differs-on-purpose"

    def test_a_rule_in_the_middle_is_named(self):
        @tf.custom_gradient
        def wrong(x):
            return tf.exp(x), lambda dy: dy * x

        found = tf.check_gradients(lambda x: tf.reduce_sum(tf.sin(wrong(x * 2.0)) ** 2), at=[tf.constant([0.3, 0.4])])
        assert found.cause == "wrong-rule"
        assert "the rule of wrong is wrong" in found.what

    def test_many_inputs_and_outputs_and_integers_beside_them(self):
        x, i = tf.random.normal([20, 5]), tf.constant([0, 3])
        assert tf.check_gradients(lambda x, i: tf.gather(tf.nn.softmax(x), i), at=[x, i]).works
        assert tf.check_gradients(lambda a, b: (a * b, a + b), at=[tf.constant(1.0), tf.constant(2.0)]).works
        with pytest.raises(ValueError, match="none of these inputs"):
            tf.check_gradients(square, at=[i])

    def test_a_function_that_must_have_float32(self):
        w = tf.Variable([1.0, 2.0])
        found = tf.check_gradients(lambda x: tf.reduce_sum(tf.tanh(x * w)), at=[tf.constant([0.5, 0.25])])
        assert found.works
        assert found.data.dtype == "float32"


class TestContract:
    def test_only_custom_functions_have_one(self):
        with pytest.raises(TypeError, match="was not made by custom_gradient"):
            tf.check_custom_gradient(square, at=[tf.constant(1.0)])

    def test_an_error_inside_the_rule_is_read(self):
        @tf.custom_gradient
        def f(x):
            return x * 1.0, lambda dy: dy * tf.constant(1.0, tf.float64)

        found = tf.check_custom_gradient(f, at=[tf.constant(1.0)])
        assert found.cause == "wrong-dtype"

    def test_several_findings(self):
        k = tf.constant([2.0, 3.0])

        @tf.custom_gradient
        def f(x):
            return x * k, lambda dy: tf.reduce_sum(k)

        found = tf.check_custom_gradient(f, at=[tf.constant([1.0, 1.0])])
        assert [one.cause for one in (found, *found.also)] == ["wrong-shape", "forgot-dy", "captured-by-closure"]


class TestFindNan:
    def test_of_a_trace(self):
        x = tf.constant([0.0, 4.0])
        with tf.observe() as seen:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.where(x > 0.0, tf.math.log(x), 0.0)
            tape.gradient(y, x)
        found = tf.find_nan(seen)
        assert (found.cause, found.line) == ("where-unused-branch", 3)

    def test_all_finite(self):
        assert tf.find_nan(square, at=[tf.constant(1.0)]).works
        assert tf.find_nan(tf.Trace()).works
        with pytest.raises(TypeError, match="find_nan takes a function or a trace"):
            tf.find_nan(3.0)

    def test_an_input_that_is_not_finite(self):
        assert tf.find_nan(square, at=[tf.constant(float("nan"))]).cause in ("zero-times-inf", "outside-domain")

    def test_outside_of_a_functions_domain(self):
        assert tf.find_nan(tf.sqrt, at=[tf.constant(-1.0)]).cause == "outside-domain"


class TestDescribe:
    def test_what_it_is(self):
        w, x = tf.Variable([[1.0], [2.0]]), tf.ones([3, 2])
        with tf.GradientTape(persistent=True) as tape:
            loss = tf.reduce_mean(tf.square(x @ w))
        found = tf.describe(tape, loss, w)
        assert found.works
        assert "dloss/dw, of shape (2, 1)" in found.what
        assert tf.describe(tape, loss, w, how="jacobian").works

    def test_it_takes_a_tape(self):
        with pytest.raises(TypeError, match="describe takes a tape"):
            tf.describe(1.0, 1.0, 1.0)

    def test_weighed_outputs(self):
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = x * x
        tape.gradient(y, x, output_gradients=tf.constant([1.0, 0.0]))
        found = tf.describe(tape, y, x, output_gradients=tf.constant([1.0, 0.0]))
        assert found.works
        assert "weighed by output_gradients" in found.what


class TestAudit:
    def test_the_figures_of_one_block_and_of_four(self):
        x = tf.ones([1000])

        def deep(x, layers):
            for _ in range(layers):
                x = tf.sin(x)
            return x

        one = tf.audit(tf.recompute_grad(lambda x: deep(x, 16)), at=[x])
        part = tf.recompute_grad(lambda x: deep(x, 4))
        four = tf.audit(lambda x: part(part(part(part(x)))), at=[x])
        assert (one.cause, one.data.saved) == ("saves-nothing", 0.0)
        assert (four.cause, four.data.peak, four.data.plain) == ("works", 28000, 64000)
        assert four.data.saved == pytest.approx(0.5625)

    def test_variables_are_put_back(self):
        count = tf.Variable(0.0, trainable=False)

        @tf.recompute_grad
        def block(x):
            count.assign_add(1.0)
            return x * x

        assert tf.audit(block, at=[tf.constant(2.0)]).cause == "side-effect"
        assert count.numpy() == 0.0

    def test_of_a_trace(self):
        noisy = tf.recompute_grad(lambda x: x * tf.random.normal([3]))
        with tf.observe() as seen:
            x = tf.Variable([1.0, 2.0, 3.0])
            with tf.GradientTape() as tape:
                y = noisy(x)
            tape.gradient(y, x)
        found = tf.audit(seen)
        assert found.cause == "random-differs"
        assert found.also[-1].data.runs == {"<lambda>": 2}
        assert tf.audit(tf.Trace()).works

    def test_it_takes_a_function(self):
        with pytest.raises(TypeError, match="audit takes a function or a trace"):
            tf.audit(3.0)


def test_detectives_leave_the_learners_tapes_and_observations_alone():
    x = tf.constant([1.0, 2.0])
    block = tf.recompute_grad(square)
    with tf.observe() as seen, tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        tf.check_gradients(square, at=[x])
        tf.check_custom_gradient(forgetful, at=[x])
        tf.find_nan(square, at=[x])
        tf.audit(block, at=[x])
        tf.explain(tape, y, x)
        tf.describe(tape, y, x)
    assert len(tape.entries) == 1
    assert len(seen.recorded) == 1
    assert tape.notes == []
