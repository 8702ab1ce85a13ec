package io.github.gramian.cli.doctor;

import io.github.gramian.model.internal.InferenceProvider;
import java.util.ArrayList;
import java.util.List;

/**
 * The findings of {@code gramian doctor} if LibTorch is not installed.
 *
 * @param healthy whether there is nothing in problems
 * @param engines that run exported models; each was started
 * @param java version and vendor of the JVM
 * @param problems what is wrong and what to do about it
 */
record ExportedOnly(boolean healthy, List<String> engines, String java, List<String> problems) {

    static final String ADVICE = "LibTorch is not installed: ONNX files are predicted, described, evaluated, served and"
            + " shown; install the whole distribution to train";

    static ExportedOnly run() {
        List<String> engines = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (InferenceProvider provider : InferenceProvider.all()) {
            try {
                engines.add(provider.engine());
            } catch (LinkageError e) {
                problems.add("an engine cannot be started (" + e.getMessage()
                        + "); install the distribution for this system again");
            }
        }
        if (engines.isEmpty() && problems.isEmpty()) {
            problems.add("no engine is installed, neither LibTorch nor ONNX Runtime; install the distribution again");
        }
        return new ExportedOnly(
                problems.isEmpty(),
                engines,
                System.getProperty("java.version") + " (" + System.getProperty("java.vendor") + ")",
                problems);
    }
}
