package io.github.gramian.check;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A program or a Python module that some tests compare results with, and the Debian package that installs it. */
public enum Tool {
    BASH("bash", "bash", ""),
    CHROMIUM("chromium", "chromium chromium-browser google-chrome", ""),
    HEIF("libheif-examples", "heif-enc", ""),
    H5PY("python3-h5py", "", "h5py"),
    PILLOW("python3-pil", "", "PIL.Image"),
    SCIPY("python3-scipy", "", "scipy.ndimage, scipy.stats, numpy"),
    TORCH("python3-torch", "", "torch, numpy"),
    TORCHVISION("python3-torchvision", "", "torchvision");

    private final String debianPackage;

    /** Names that the program has on various systems, separated by spaces. */
    private final String programs;

    /** Names as in Python's import statement. */
    private final String modules;

    Tool(String debianPackage, String programs, String modules) {
        this.debianPackage = debianPackage;
        this.programs = programs;
        this.modules = modules;
    }

    /** Name of the package for {@code apt install}. */
    public String debianPackage() {
        return debianPackage;
    }

    String modules() {
        return modules;
    }

    /** Path of the program, if it is installed. */
    public Optional<Path> program() {
        return program(System.getenv().getOrDefault("PATH", ""));
    }

    Optional<Path> program(String searchPath) {
        return Stream.of(programs.split(" ", -1))
                .flatMap(name ->
                        Stream.of(searchPath.split(File.pathSeparator, -1)).map(directory -> Path.of(directory, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private boolean isInstalled(String searchPath) {
        return modules.isEmpty()
                ? program(searchPath).isPresent()
                : PythonProgram.find(List.of(this)).isPresent();
    }

    /** The tools that must be installed before a test that needs all of the given ones can run. */
    static List<Tool> missing(List<Tool> needed, String searchPath) {
        List<Tool> missing = new ArrayList<>();
        needed.stream().filter(tool -> !tool.isInstalled(searchPath)).forEach(missing::add);
        List<Tool> ofPython =
                needed.stream().filter(tool -> !tool.modules.isEmpty()).toList();
        // Each module may be installed in a different Python, but a test runs in one.
        if (missing.isEmpty()
                && ofPython.size() > 1
                && PythonProgram.find(ofPython).isEmpty()) {
            return ofPython;
        }
        return missing;
    }
}
