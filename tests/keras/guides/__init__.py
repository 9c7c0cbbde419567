"""Programs in the style of TensorFlow's public guides: each takes the module that it runs on, and returns numbers."""

from . import advanced, autodiff, layers, optimizers, tensors, training

PROGRAMS = {
    f"{guide.__name__.rpartition('.')[2]}/{name}": program
    for guide in (autodiff, advanced, tensors, training, optimizers, layers)
    for name, program in vars(guide).items()
    if callable(program) and getattr(program, "__module__", "") == guide.__name__ and not name.startswith("_")
}
