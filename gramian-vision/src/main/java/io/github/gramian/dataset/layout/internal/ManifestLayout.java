package io.github.gramian.dataset.layout.internal;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Split;
import io.github.gramian.dataset.internal.Listing;
import io.github.gramian.dataset.internal.OfficialSplit;
import io.github.gramian.dataset.internal.Protocol;
import io.github.gramian.dataset.internal.RandomShare;
import io.github.gramian.dataset.internal.Validation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Anybody's images by a list: a CSV file with the columns {@code path,label} and perhaps {@code split} and {@code group},
 * or a folder with a {@code manifest.csv}. Paths are relative to the folder of the file. Labels are names; if all are numbers, classes
 * are in the order of the numbers, otherwise sorted as strings.
 */
final class ManifestLayout extends Layout {

    private static final String FILE = "manifest.csv";
    private static final List<String> COLUMNS = List.of("path", "label", "split", "group");

    private record Row(String path, String label, Optional<Split> split, String group) {}

    ManifestLayout() {
        super("csv", "a CSV manifest", null);
    }

    @Override
    public Path base(Path root) {
        Path folder = file(root).toAbsolutePath().getParent();
        return folder == null ? root : folder;
    }

    @Override
    public Optional<String> complaint(Path root) {
        return Files.isRegularFile(file(root))
                        && file(root).toString().toLowerCase(Locale.ROOT).endsWith(".csv")
                ? Optional.empty()
                : Optional.of("expected a .csv file or a directory with a " + FILE);
    }

    private static Path file(Path root) {
        return Files.isDirectory(root) ? root.resolve(FILE) : root;
    }

    @Override
    public Listing list(Path root) {
        if (LabelHistory.isHistory(file(root))) {
            return list(LabelHistory.read(file(root)));
        }
        List<Row> rows = rows(CsvFile.read(file(root)));
        ListingBuilder listing = new ListingBuilder(
                classes(rows.stream().map(Row::label).distinct().toList()));
        Map<String, Split> splitOfId = new HashMap<>();
        for (Row row : rows) {
            listing.add(row.path(), row.path(), row.label());
            row.split().ifPresent(split -> splitOfId.put(row.path(), split));
            if (!row.group().isEmpty()) {
                listing.group(row.path(), row.group());
            }
        }
        return splitOfId.isEmpty() ? listing.build() : listing.build(List.of(splitOfId));
    }

    /** A file with a column {@code when}: the images that have a label now. */
    private static Listing list(LabelHistory history) {
        List<LabelHistory.Entry> entries = history.labelled();
        if (entries.isEmpty()) {
            throw new DatasetException(history.name() + " has no labels yet; label photographs with gramian studio");
        }
        ListingBuilder listing = new ListingBuilder(classes(
                entries.stream().map(LabelHistory.Entry::label).distinct().toList()));
        for (LabelHistory.Entry entry : entries) {
            listing.add(entry.path(), entry.path(), entry.label());
            if (!entry.group().isEmpty()) {
                listing.group(entry.path(), entry.group());
            }
        }
        return listing.build();
    }

    private static List<Row> rows(CsvFile csv) {
        for (String column : csv.header()) {
            if (!COLUMNS.contains(column)) {
                throw new DatasetException(csv.name() + " has a column '" + column
                        + "'; the columns are path,label and perhaps split and group");
            }
        }
        int path = csv.column("path");
        int label = csv.column("label");
        boolean divided = csv.header().contains("split");
        boolean grouped = csv.header().contains("group");
        return csv.rows().stream()
                .map(row -> new Row(
                        RelativePath.checked(row.field(path), row.place()),
                        row.required(label, "label"),
                        divided ? Optional.of(split(row, csv.column("split"))) : Optional.empty(),
                        grouped ? row.field(csv.column("group")).strip() : ""))
                .toList();
    }

    private static Split split(CsvFile.Row row, int column) {
        String word = row.field(column);
        return Split.known(word)
                .orElseThrow(() -> new DatasetException(
                        row.place() + ": '" + word + "' is not a split; write train, val or test"));
    }

    private static List<String> classes(List<String> labels) {
        boolean numbers = labels.stream().allMatch(label -> label.matches("\\d{1,9}"));
        // Numbers that are equal as numbers (7 and 07) still are two classes, in the order of their strings.
        Comparator<String> order = numbers
                ? Comparator.comparingInt((String label) -> Integer.parseInt(label))
                        .thenComparing(label -> label)
                : Comparator.naturalOrder();
        return labels.stream().sorted(order).toList();
    }

    @Override
    public List<Protocol> protocols() {
        return dividedByTheUser();
    }

    /** For data whose owner may have divided it. */
    static List<Protocol> dividedByTheUser() {
        return List.of(
                new Protocol(
                        "standard",
                        new OfficialSplit(),
                        new Validation.Unchanged(),
                        "your own split, or a random 80 % of each class for training"),
                new Protocol(
                        "paper",
                        new OfficialSplit(new RandomShare(2 / 3.0)),
                        new Validation.Unchanged(),
                        "your own split, or two random thirds of each class for training"));
    }
}
