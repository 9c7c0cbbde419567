"""`tf.keras.layers`: every layer by its name."""

# isort: off
from .layer import Layer
from .dense import Dense
from .shapes import Activation, Dropout, Flatten, Lambda, Reshape
from .normalization import BatchNormalization, LayerNormalization
from .embedding import Embedding
from .convolution import Conv2D, MaxPooling2D, MaxPooling2D as MaxPool2D
from .recurrent import SimpleRNN
from .inputs import Input, Input as InputLayer
from ..missing import absent as _absent
# isort: on

__getattr__ = _absent(__name__)

__all__ = [
    "Activation", "BatchNormalization", "Conv2D", "Dense", "Dropout", "Embedding", "Flatten", "Input", "InputLayer",
    "Lambda", "Layer", "LayerNormalization", "MaxPool2D", "MaxPooling2D", "Reshape", "SimpleRNN",
]  # fmt: skip
