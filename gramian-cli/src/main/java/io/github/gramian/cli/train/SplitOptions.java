package io.github.gramian.cli.train;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that decide which images of a dataset are for training and which for the test. */
public final class SplitOptions {

    @Option(
            names = "--groups",
            paramLabel = "REGEX",
            description =
                    "Regular expression whose first capture group, matched against an image's path, names the object"
                            + " that it shows. Images of one object are never divided between training and test.")
    private @Nullable String groups;

    @Option(names = "--split", description = "Number of the dataset's split, starting at 1 (default: 1).")
    private @Nullable Integer split;

    @Option(names = "--seed", description = "Random seed of splits and of the training (default: 1).")
    private @Nullable Long seed;

    /** The pattern that names groups of images; null for none. */
    @Nullable
    String groups() {
        return groups;
    }

    public RecipeSettings settings() {
        return new RecipeSettings()
                .with("data.groups", groups)
                .with("data.split", split)
                .with("seed", seed);
    }
}
