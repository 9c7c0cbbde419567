"""Programs in the style of TensorFlow's public guides: each takes the module that it runs on, and returns numbers."""

from . import advanced, autodiff, layers, lifecycle, optimizers, tensors, training, weighted

PROGRAMS = {
    f"{guide.__name__.rpartition('.')[2]}/{name}": program
    for guide in (autodiff, advanced, tensors, training, optimizers, layers, lifecycle, weighted)
    for name, program in vars(guide).items()
    if callable(program) and getattr(program, "__module__", "") == guide.__name__ and not name.startswith("_")
}
