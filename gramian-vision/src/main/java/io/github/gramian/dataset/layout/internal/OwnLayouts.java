package io.github.gramian.dataset.layout.internal;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Split;
import io.github.gramian.dataset.internal.DividedDataset.Listing;
import io.github.gramian.dataset.internal.Protocol;
import io.github.gramian.dataset.internal.Protocol.Validation;
import io.github.gramian.dataset.internal.SplitRule.OfficialSplit;
import io.github.gramian.dataset.internal.SplitRule.RandomShare;
import io.github.gramian.io.internal.FileNames;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The layouts of users' own images: a directory per class, directories for training and test, or a CSV file. */
final class OwnLayouts {

    /** For data whose owner may have divided it. */
    private static final List<Protocol> DIVIDED_BY_THE_USER = List.of(
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

    private OwnLayouts() {}

    /**
     * Anybody's images: {@code <class>/**}, one folder per class, images at any depth inside it. A folder that only holds images is a
     * single class.
     */
    static final class ClassFolders extends Layout {

        ClassFolders() {
            super(
                    "folders",
                    "one directory per class",
                    null,
                    List.of(
                            new Protocol(
                                    "standard",
                                    new RandomShare(0.8),
                                    new Validation.Unchanged(),
                                    "a random 80 % of each class trains, the rest tests"),
                            Protocol.paperTextures()));
        }

        @Override
        public Optional<String> complaint(Path root) {
            return classFolders(root).isEmpty() && looseImages(root) == 0
                    ? Optional.of("no directory with images; expected <class>/*.jpg")
                    : Optional.empty();
        }

        @Override
        public Listing list(Path root) {
            List<Path> folders = classFolders(root);
            return listing(root, folders.isEmpty() ? List.of(root) : folders);
        }

        /** Number of images that lie directly in a folder. */
        static long looseImages(Path folder) {
            return ImageTree.files(folder).stream()
                    .filter(name -> ImageTree.isImage(FileNames.path(name)))
                    .count();
        }

        /** Every folder is a class, named like the folder, in the order given. */
        static Listing listing(Path root, List<Path> classFolders) {
            ListingBuilder listing = new ListingBuilder(
                    classFolders.stream().map(ClassFolders::className).toList());
            for (Path folder : classFolders) {
                listing.addAll(root, folder, className(folder), classFolders);
            }
            return listing.build();
        }

        /** Also of the current folder, whose path has no name. */
        private static String className(Path folder) {
            return ImageTree.name(folder.toAbsolutePath().normalize());
        }

        @Override
        public List<String> emptyClasses(Path root) {
            return ImageTree.folders(root).stream()
                    .filter(folder -> !ImageTree.holdsImages(folder))
                    .map(ImageTree::name)
                    .toList();
        }

        static List<Path> classFolders(Path root) {
            return ImageTree.folders(root).stream()
                    .filter(ImageTree::holdsImages)
                    .toList();
        }

        /** The name of a folder with images that is not among the ones given, if there is one. */
        static Optional<String> otherThan(List<Path> folders, Path root) {
            return classFolders(root).stream()
                    .filter(folder -> !folders.contains(folder))
                    .map(ImageTree::name)
                    .findFirst();
        }
    }

    /** Anybody's images, already divided: {@code train/<class>/**}, {@code val/<class>/**}, {@code test/<class>/**}. */
    static final class SplitTree extends Layout {

        SplitTree() {
            super("tree", "a tree of train/, val/ and test/ directories", null, DIVIDED_BY_THE_USER);
        }

        @Override
        public Optional<String> complaint(Path root) {
            Map<Split, Path> parts = parts(root);
            Path train = parts.get(Split.TRAIN);
            if (train == null || parts.size() < 2) {
                return Optional.of("expected train/ and at least one of val/ and test/");
            }
            return ClassFolders.classFolders(train).isEmpty()
                    ? Optional.of("train/ has no directory with images; expected train/<class>/*.jpg")
                    : Optional.empty();
        }

        @Override
        public Listing list(Path root) {
            Map<Split, Path> parts = parts(root);
            List<Path> all = parts.values().stream()
                    .flatMap(part -> ClassFolders.classFolders(part).stream())
                    .toList();
            ListingBuilder listing = new ListingBuilder(
                    all.stream().map(ImageTree::name).distinct().sorted().toList());
            Map<String, Split> splitOfId = new HashMap<>();
            parts.forEach((split, part) -> {
                for (Path folder : ClassFolders.classFolders(part)) {
                    listing.addAll(root, folder, ImageTree.name(folder), all)
                            .forEach(path -> splitOfId.put(path, split));
                }
            });
            return listing.build(List.of(splitOfId));
        }

        private static Map<Split, Path> parts(Path root) {
            Map<Split, Path> parts = new EnumMap<>(Split.class);
            for (Path folder : ImageTree.folders(root)) {
                Split.known(ImageTree.name(folder)).ifPresent(split -> {
                    Path before = parts.put(split, folder);
                    if (before != null) {
                        throw new DatasetException(
                                before + " and " + folder + " are both " + split.key() + "; join them or remove one");
                    }
                });
            }
            return parts;
        }
    }

    /**
     * Anybody's images by a list: a CSV file with the columns {@code path,label} and perhaps {@code split} and {@code group},
     * or a folder with a {@code manifest.csv}. Paths are relative to the folder of the file. Labels are names; if all are numbers, classes
     * are in the order of the numbers, otherwise sorted as strings.
     */
    static final class Manifest extends Layout {

        private static final String FILE = "manifest.csv";
        private static final List<String> COLUMNS = List.of("path", "label", "split", "group");

        private record Row(String path, String label, Optional<Split> split, String group) {}

        Manifest() {
            super("csv", "a CSV manifest", null, DIVIDED_BY_THE_USER);
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
                throw new DatasetException(
                        history.name() + " has no labels yet; label photographs with gramian studio");
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
                            ListFile.checkedPath(row.field(path), row.place()),
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
    }
}
