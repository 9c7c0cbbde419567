"""One distribution: what the wheel holds, what an editable install sees, and what `import minitape` pulls in."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
from jupyter_client import KernelManager
from jupyter_client.kernelspec import KernelSpecManager

ROOT = Path(__file__).parents[2]
SOURCES = {"minitape": "minitape", "widgets": "minitape_widgets"}  # folder: import name


def files_in(folder: Path) -> set[Path]:
    """Every file of a source folder, but for what Python itself leaves there."""
    return {
        path.relative_to(folder) for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.fixture(scope="module")
def checkout(tmp_path_factory) -> Path:
    """A copy of what the installation reads, in a path with a space, free to be edited."""
    copy = tmp_path_factory.mktemp("a checkout")
    for folder in SOURCES:
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    return copy


@pytest.fixture(scope="module")
def wheel(checkout, tmp_path_factory) -> zipfile.ZipFile:
    """The wheel, built from the copy."""
    out = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, checkout],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    with zipfile.ZipFile(next(out.glob("*.whl"))) as archive:
        yield archive


def test_the_wheel_holds_both_packages_whole(wheel):
    held = {Path(name) for name in wheel.namelist()}
    for folder, name in SOURCES.items():
        missing = {path for path in files_in(ROOT / folder) if Path(name) / path not in held}
        assert not missing, f"add to packages or package-data in pyproject.toml: {sorted(map(str, missing))}"


def test_the_wheel_holds_no_other_top_level_name(wheel):
    top = {name.partition("/")[0] for name in wheel.namelist()}
    assert {name for name in top if not name.endswith(".dist-info")} == set(SOURCES.values())


def test_the_wheel_asks_for_numpy_alone_by_default(wheel):
    metadata = wheel.read(next(name for name in wheel.namelist() if name.endswith("/METADATA"))).decode()
    asked = [line.partition(": ")[2] for line in metadata.splitlines() if line.startswith("Requires-Dist")]
    assert [line for line in asked if "extra ==" not in line] == ["numpy<3,>=2"]
    assert [line for line in asked if line.startswith("jupyterlab") and 'extra == "lab"' in line]


def test_pyproject_names_every_package():
    """setuptools takes the list as it stands: a new subpackage that is not on it would be left out of the wheel."""
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    found = {
        ".".join((name, *init.parent.parts))
        for folder, name in SOURCES.items()
        for init in files_in(ROOT / folder)
        if init.name == "__init__.py"
    }
    assert set(setuptools["packages"]) == found


@pytest.fixture
def python_of_the_checkout(checkout, tmp_path) -> Path:
    """The Python of an environment where the copy is installed editable, beside what is installed here."""
    subprocess.run(
        [
            sys.executable,
            "-c",
            f"from setuptools.build_meta import build_editable; build_editable({str(tmp_path)!r})",
        ],
        cwd=checkout,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    environment = tmp_path / "env"
    venv.create(environment, symlinks=os.name != "nt")
    scheme = {"base": str(environment), "platbase": str(environment)}
    site_packages = Path(sysconfig.get_path("purelib", "venv", vars=scheme))
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as archive:
        archive.extractall(site_packages)
    # The folder alone is added, not its .pth files: so this checkout's own editable install is not seen.
    (site_packages / "beside.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    return Path(sysconfig.get_path("scripts", "venv", vars=scheme)) / Path(sys.executable).name


def test_an_edit_in_widgets_is_seen_after_a_kernel_restart(checkout, python_of_the_checkout, tmp_path):
    kernels = tmp_path / "kernels"
    (kernels / "edited").mkdir(parents=True)
    spec = {
        "argv": [str(python_of_the_checkout), "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "edited",
        "language": "python",
    }
    (kernels / "edited" / "kernel.json").write_text(json.dumps(spec))
    manager = KernelManager(kernel_name="edited", kernel_spec_manager=KernelSpecManager(kernel_dirs=[str(kernels)]))
    manager.start_kernel(cwd=str(tmp_path))
    client = manager.client()
    client.start_channels()

    def run(code: str) -> str:
        said = []
        reply = client.execute_interactive(
            code, timeout=60, output_hook=lambda message: said.append(message["content"].get("text", ""))
        )
        assert reply["content"]["status"] == "ok", reply["content"]
        return "".join(said).strip()

    try:
        client.wait_for_ready(timeout=60)
        assert Path(run("import minitape_widgets; print(minitape_widgets.__file__)")).is_relative_to(checkout)
        with (checkout / "widgets" / "__init__.py").open("a", encoding="utf-8") as source:
            source.write("\nEDITED = 'seen'\n")
        (checkout / "widgets" / "made_later.py").write_text("WORD = 'new file'\n", encoding="utf-8")
        assert run("import minitape_widgets; print(hasattr(minitape_widgets, 'EDITED'))") == "False"
        manager.restart_kernel(now=True)
        client.wait_for_ready(timeout=60)
        assert run("import minitape_widgets; print(minitape_widgets.EDITED)") == "seen"
        assert run("import minitape_widgets.made_later as later; print(later.WORD)") == "new file"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


ALONE = """
import json, sys

class Nothing:
    "Stands for a machine where only NumPy is installed."
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in sys.stdlib_module_names and top not in ("numpy", "minitape"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

before = set(sys.modules)
sys.meta_path.insert(0, Nothing())
import minitape
loaded = [name for name in set(sys.modules) - before if getattr(sys.modules[name], "__spec__", None)]
pulled = {name.partition(".")[0] for name in loaded}
print(json.dumps(sorted(pulled - sys.stdlib_module_names)))
"""


def test_minitape_imports_with_numpy_alone():
    said = subprocess.run([sys.executable, "-c", ALONE], cwd=ROOT, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr
    assert json.loads(said.stdout) == ["minitape", "numpy"]


def test_no_module_of_minitape_names_anything_but_numpy():
    """Also where the import stands inside a function and is not reached by `import minitape`."""
    import ast

    named = {}
    for path in sorted((ROOT / "minitape").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module]
            for name in names:
                named.setdefault(name.partition(".")[0], path.name)
    allowed = sys.stdlib_module_names | {"numpy", "minitape"}
    assert {name: where for name, where in named.items() if name not in allowed} == {}
