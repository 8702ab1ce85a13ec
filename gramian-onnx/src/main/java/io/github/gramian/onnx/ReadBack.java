package io.github.gramian.onnx;

import io.github.gramian.InvalidInputException;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.internal.BatchPredictor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Loads an exported file as {@code predict} and {@code serve} do, before it is published under its name. */
final class ReadBack {

    private ReadBack() {}

    /**
     * Checks that the file can be loaded and has the classes of the model.
     *
     * @param written the file, under a temporary name
     * @param target the name that it is published under, for the message
     */
    static void require(Path written, Path target, List<String> classes) throws ModelException {
        try (BatchPredictor exported = BatchPredictor.load(written)) {
            if (!exported.classes().equals(classes)) {
                throw new ModelException("its classes are " + exported.classes() + " instead of " + classes);
            }
        } catch (IOException | InvalidInputException e) {
            throw new ModelException(
                    target + " was not written, because the exported file cannot be read back: " + e.getMessage()
                            + "; report this with the names of the classes",
                    e);
        }
    }
}
