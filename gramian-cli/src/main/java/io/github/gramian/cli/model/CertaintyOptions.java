package io.github.gramian.cli.model;

import io.github.gramian.certainty.internal.CertaintyRequest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options {@code --coverage} and {@code --unknown}. */
final class CertaintyOptions {

    @Option(
            names = "--coverage",
            paramLabel = "SHARE",
            description =
                    "Also print a set of classes that holds the true class for this share of images, such as 0.9.")
    private @Nullable Double coverage;

    @Option(
            names = "--unknown",
            paramLabel = "LEVEL",
            description = "Print 'unknown' as class if the novelty is below this level, such as 0.05."
                    + " It rejects this share of images that are like the training images.")
    private @Nullable Double unknown;

    CertaintyRequest request() {
        return new CertaintyRequest(coverage, unknown);
    }
}
