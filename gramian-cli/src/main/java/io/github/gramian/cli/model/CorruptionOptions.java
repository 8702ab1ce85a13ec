package io.github.gramian.cli.model;

import io.github.gramian.image.corruption.internal.Corruption;
import io.github.gramian.image.corruption.internal.CorruptionType;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code gramian evaluate} that measure robustness. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class CorruptionOptions {

    @Option(
            names = "--corruptions",
            paramLabel = "NAMES",
            arity = "0..1",
            fallbackValue = "standard",
            description = {
                "Also evaluate on corrupted images: standard (the fifteen types of ImageNet-C), all,",
                "or names such as fog,motion_blur. Without names: standard."
            })
    private @Nullable String names;

    @Option(
            names = "--severities",
            paramLabel = "LIST",
            description = "Severities of corruptions, from 1 to 5 (default: 1,2,3,4,5).")
    private @Nullable String severities;

    @Option(names = "--csv", description = "Print the accuracies on corrupted images as CSV.")
    private boolean csv;

    boolean csv() {
        return csv;
    }

    /** Every corruption at every severity, in the given order; none if robustness is not measured. */
    List<Corruption> corruptions() {
        if (names == null) {
            requireNone("--severities", severities != null);
            requireNone("--csv", csv);
            return List.of();
        }
        List<Corruption> corruptions = new ArrayList<>();
        for (CorruptionType type : CorruptionType.list(List.of(names.split(",", -1)))) {
            for (int severity : numbers(severities == null ? "1,2,3,4,5" : severities)) {
                corruptions.add(new Corruption(type, severity));
            }
        }
        return corruptions;
    }

    private static Set<Integer> numbers(String list) {
        Set<Integer> numbers = new LinkedHashSet<>();
        for (String number : list.split(",", -1)) {
            try {
                numbers.add(Integer.valueOf(number.strip()));
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException(
                        "--severities takes numbers from 1 to 5 separated by commas, such as 1,3,5, not '" + list
                                + "'");
            }
        }
        return numbers;
    }

    private static void requireNone(String option, boolean given) {
        if (given) {
            throw new IllegalArgumentException(option + " needs --corruptions; add --corruptions standard");
        }
    }
}
