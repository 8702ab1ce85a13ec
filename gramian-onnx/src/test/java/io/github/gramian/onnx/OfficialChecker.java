package io.github.gramian.onnx;

import java.nio.file.Path;
import org.bytedeco.onnx.global.onnx;

/** ONNX's own checker, with inference of all shapes. */
public final class OfficialChecker {

    private OfficialChecker() {}

    /** Throws if the file breaks a rule; the message names it. */
    public static void check(Path file) {
        boolean full = true;
        boolean skipUnknownOperators = false;
        boolean checkFunctions = true;
        onnx.check_model(file.toString(), full, skipUnknownOperators, checkFunctions);
    }
}
