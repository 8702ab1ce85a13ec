package io.github.gramian.cli.data;

import static java.util.Map.entry;

import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.cli.common.Progress;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Split;
import io.github.gramian.dataset.inspect.internal.Inspection;
import io.github.gramian.dataset.inspect.internal.Inspector;
import io.github.gramian.dataset.internal.DividedDataset;
import io.github.gramian.dataset.internal.Protocol;
import io.github.gramian.dataset.internal.Protocol.Validation;
import io.github.gramian.dataset.layout.internal.Layout;
import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.io.internal.Text;
import io.github.gramian.json.internal.Json;
import io.github.gramian.tensor.Seed;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code gramian data inspect}: counts, sizes, broken files and leakage of a dataset. */
@Command(
        name = "inspect",
        description = {
            "Checks the images and splits of a dataset.",
            "Prints counts, image sizes, broken files, and test images that training has seen."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian data inspect --root photos/",
            "  gramian data inspect --dataset dtd --root dtd/ --split 1 --strict --json"
        })
final class DataInspectCommand extends PrintingCommand {

    private static final int FINE = 0;
    private static final int FAILED_CHECK = 1;

    @Option(names = "--root", required = true, description = "Directory of the dataset, or a CSV manifest.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path root;

    @Option(
            names = "--dataset",
            description = "Layout of the dataset: dtd, fmd, kth-tips, kth-tips-2b, cub,"
                    + " aircraft[-variant|-family|-manufacturer], folders, tree or csv. If missing, Gramian"
                    + " detects it.")
    private @Nullable String layoutName;

    @Option(
            names = "--protocol",
            description =
                    "Evaluation protocol: standard, paper or another that the dataset offers (default: as released).")
    private @Nullable String protocolName;

    @Option(
            names = "--split",
            defaultValue = "1",
            description = "Number of the split, starting at 1 (default: ${DEFAULT-VALUE}).")
    private int split;

    @Option(names = "--seed", defaultValue = "0", description = "Random seed of splits (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--groups",
            paramLabel = "REGEX",
            description =
                    "Regular expression whose first capture group, matched against an image's path, names the object"
                            + " that it shows. Images of one object are never divided between training and test.")
    private @Nullable String groups;

    @Option(
            names = "--validation",
            description = "Fraction of the training images to hold out for validation where the dataset has none.")
    private @Nullable Double validationShare;

    @Option(names = "--threads", description = "Number of threads that decode images (default: one per core).")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Option(names = "--strict", description = "Exit with 1 if a file is broken or a test image was seen in training.")
    private boolean strict;

    @Option(names = "--quiet", description = "Do not print progress.")
    private boolean quiet;

    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean json;

    @Override
    public Integer call() {
        Dataset dataset = open();
        Inspector inspector = new Inspector(ImageDecoder.forLocalFiles(), threads);
        PrintWriter err = stderr();
        Inspection inspection;
        try (Progress progress =
                new Progress("reading", "files", dataset.samples().size(), err, quiet || json)) {
            inspection = inspector.inspect(dataset, (done, total) -> progress.done(done));
        }
        print(json, () -> InspectionText.toMap(inspection), out -> InspectionText.print(inspection, out));
        return strict && !inspection.clean() ? FAILED_CHECK : FINE;
    }

    private Dataset open() {
        Layout layout = layoutName == null ? Layouts.detect(root) : Layouts.named(layoutName);
        Protocol protocol = protocolName == null ? layout.released() : layout.protocol(protocolName);
        if (validationShare != null) {
            protocol = protocol.withValidation(new Validation.Carved(validationShare));
        }
        return layout.open(root, protocol, split, new Seed(seed), groups);
    }

    /** An inspection as a page for people and as a map for JSON. */
    static final class InspectionText {

        /** Lists longer than this are cut on the page; JSON has all. */
        private static final int SHOWN = 20;

        private InspectionText() {}

        /** Every finding under a stable name. */
        static Map<String, @Nullable Object> toMap(Inspection inspection) {
            DividedDataset dataset = DividedDataset.of(inspection.dataset());
            Map<String, @Nullable Object> fields = new LinkedHashMap<>();
            fields.put("dataset", dataset.name());
            fields.put("root", dataset.root().toString());
            fields.put("protocol", dataset.protocol().name());
            fields.put("split", dataset.splitNumber());
            fields.put("classes", dataset.classes().size());
            fields.put("images", dataset.samples().size());
            fields.put("counts", dataset.counts());
            fields.put("groups", dataset.listing().groups().count(dataset.samples()));
            fields.put("perClass", inspection.classes());
            Map<String, @Nullable Object> sizes = new LinkedHashMap<>();
            sizes.put("width", inspection.width().orElse(null));
            sizes.put("height", inspection.height().orElse(null));
            fields.put("sizes", sizes);
            fields.put("broken", inspection.broken().size());
            fields.put("brokenFiles", inspection.broken());
            fields.put(
                    "duplicates", Json.members(entry("exact", inspection.exact()), entry("near", inspection.near())));
            fields.put(
                    "leakage",
                    Json.members(
                            entry("exact", inspection.exactLeaks()),
                            entry("near", inspection.near().size()),
                            entry("groups", inspection.dividedGroups().size())));
            fields.put(
                    "twins",
                    Json.members(
                            entry("training", inspection.twins().ofTraining()),
                            entry("validation", inspection.twins().ofValidation())));
            fields.put("warnings", inspection.warnings());
            fields.put("passport", dataset.evaluationProtocol(inspection.hash()));
            return fields;
        }

        static void print(Inspection inspection, PrintWriter out) {
            DividedDataset dataset = DividedDataset.of(inspection.dataset());
            line(out, "dataset", dataset.name() + " in " + dataset.root());
            line(out, "protocol", dataset.describeProtocol() + ", split " + dataset.splitNumber());
            line(out, "content", "sha256 " + inspection.hash().sha256());
            line(
                    out,
                    "images",
                    dataset.samples().size() + " of "
                            + Text.count(dataset.classes().size(), "class"));
            line(out, "splits", counts(dataset.counts()));
            if (!dataset.listing().groups().isEmpty()) {
                line(
                        out,
                        "groups",
                        dataset.listing().groups().count(dataset.samples()) + ", "
                                + inspection.dividedGroups().size() + " of them across training and test");
            }
            line(out, "width", inspection.width().map(InspectionText::range).orElse("no image decodes"));
            line(out, "height", inspection.height().map(InspectionText::range).orElse("no image decodes"));
            line(out, "broken", Integer.toString(inspection.broken().size()));
            line(
                    out,
                    "equal files",
                    Text.count(inspection.exact().size(), "group") + ", " + inspection.exactLeaks()
                            + " of them across training and test");
            line(
                    out,
                    "twins",
                    Text.format(
                            "%d of %s with the same bytes as a training image (%d) or a validation image (%d)",
                            inspection.twins().count(),
                            Text.count(dataset.samples(Split.TEST).size(), "test image"),
                            inspection.twins().ofTraining().size(),
                            inspection.twins().ofValidation().size()));
            line(out, "near copies", Text.count(inspection.near().size(), "pair") + " across training and test");
            printClasses(inspection.classes(), out);
            section(out, "broken files", inspection.broken(), broken -> broken.path() + "  " + broken.detail());
            section(
                    out,
                    "equal files across training and test",
                    inspection.exact().stream()
                            .filter(Inspection.ExactGroup::leaks)
                            .toList(),
                    group -> String.join("  ", group.paths()));
            section(
                    out,
                    "near copies across training and test",
                    inspection.near(),
                    pair -> Text.format("%s  %s  correlation %.3f", pair.seen(), pair.test(), pair.correlation()));
            section(out, "warnings", inspection.warnings(), warning -> warning);
        }

        private static void line(PrintWriter out, String title, String value) {
            out.println(Text.format("%-12s %s", title, value));
        }

        private static String counts(Map<String, Integer> counts) {
            StringBuilder text = new StringBuilder();
            counts.forEach((split, count) -> text.append(text.isEmpty() ? "" : ", ")
                    .append(count)
                    .append(' ')
                    .append(split));
            return text.toString();
        }

        private static String range(Inspection.Range range) {
            return range.min() + " to " + range.max() + " px, median " + range.median();
        }

        private static void printClasses(List<Inspection.ClassCount> classes, PrintWriter out) {
            int widest = classes.stream()
                    .mapToInt(count -> count.name().length())
                    .max()
                    .orElse(0);
            String format = "%-" + Math.max(5, widest) + "s %7s %7s %7s";
            out.println();
            out.println(String.format(Locale.ROOT, format, "class", "train", "val", "test"));
            for (Inspection.ClassCount count : classes) {
                out.println(String.format(
                        Locale.ROOT,
                        format,
                        count.name(),
                        count.counts().get(Split.TRAIN.key()),
                        count.counts().get(Split.VALIDATION.key()),
                        count.counts().get(Split.TEST.key())));
            }
        }

        private static <T> void section(PrintWriter out, String title, List<T> entries, Function<T, String> describe) {
            if (entries.isEmpty()) {
                return;
            }
            out.println();
            out.println(title + ":");
            entries.stream().limit(SHOWN).forEach(entry -> out.println("  " + describe.apply(entry)));
            if (entries.size() > SHOWN) {
                out.println("  … and " + (entries.size() - SHOWN) + " more; --json lists all");
            }
        }
    }
}
