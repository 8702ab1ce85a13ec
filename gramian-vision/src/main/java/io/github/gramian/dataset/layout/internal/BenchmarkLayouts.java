package io.github.gramian.dataset.layout.internal;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Split;
import io.github.gramian.dataset.internal.DividedDataset.Listing;
import io.github.gramian.dataset.internal.Protocol;
import io.github.gramian.dataset.internal.Protocol.Validation;
import io.github.gramian.dataset.internal.SplitRule.Folds;
import io.github.gramian.dataset.internal.SplitRule.OfficialSplit;
import io.github.gramian.dataset.internal.SplitRule.PhysicalSamples;
import io.github.gramian.dataset.internal.SplitRule.RandomPerClass;
import io.github.gramian.dataset.internal.SplitRule.RandomShare;
import io.github.gramian.dataset.layout.internal.OwnLayouts.ClassFolders;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The layouts of published datasets, as their authors distribute them. */
final class BenchmarkLayouts {

    private BenchmarkLayouts() {}

    /**
     * Describable Textures Dataset: {@code images/<class>/*.jpg} and ten splits into thirds in {@code
     * labels/{train,val,test}{1..10}.txt}, whose lines are {@code <class>/<file>}.
     */
    static final class Dtd extends Layout {

        private static final int SPLITS = 10;

        Dtd() {
            super(
                    "dtd",
                    "DTD (Describable Textures Dataset)",
                    new OfficialSize(47, 5640),
                    List.of(
                            new Protocol(
                                    "standard",
                                    new OfficialSplit(),
                                    new Validation.Merged(),
                                    "ten official splits, train+val for training"),
                            new Protocol(
                                    "paper",
                                    new Folds(3),
                                    new Validation.Unchanged(),
                                    "random thirds, two train and one tests")));
        }

        @Override
        public Optional<String> complaint(Path root) {
            if (!Files.isDirectory(root.resolve("images"))) {
                return Optional.of("no directory images/; expected images/<class>/*.jpg");
            }
            if (!Files.isRegularFile(root.resolve("labels/train1.txt"))) {
                return Optional.of("no labels/train1.txt; expected labels/{train,val,test}{1..10}.txt");
            }
            return Optional.empty();
        }

        @Override
        public Listing list(Path root) {
            List<Map<String, Split>> official = new ArrayList<>();
            Map<String, String> classOfImage = new TreeMap<>();
            for (int number = 1; number <= SPLITS; number++) {
                if (!Files.isRegularFile(root.resolve("labels/train" + number + ".txt"))) {
                    break;
                }
                Map<String, Split> splitOfId = readSplit(root, number);
                splitOfId.keySet().forEach(image -> classOfImage.put(image, image.substring(0, image.indexOf('/'))));
                official.add(splitOfId);
            }
            ListingBuilder listing = new ListingBuilder(
                    classOfImage.values().stream().distinct().sorted().toList());
            classOfImage.forEach((image, className) -> listing.add(image, "images/" + image, className));
            return listing.build(official);
        }

        private static Map<String, Split> readSplit(Path root, int number) {
            Map<String, Split> splitOfId = new HashMap<>();
            for (Split split : Split.values()) {
                String name = "labels/" + split.key() + number + ".txt";
                Path file = root.resolve(name);
                if (!Files.isRegularFile(file)) {
                    throw new DatasetException(
                            "no " + name + " next to labels/train" + number + ".txt; unpack the dataset again");
                }
                for (ListFile.Line line : ListFile.lines(file)) {
                    String image = line.path();
                    if (image.indexOf('/') < 1) {
                        throw new DatasetException(
                                line.place() + ": expected <class>/<file> but found '" + image + "'");
                    }
                    Split before = splitOfId.put(image, split);
                    if (before != null) {
                        throw new DatasetException(line.place() + ": " + image + " is already in the " + before.key()
                                + " list of split " + number);
                    }
                }
            }
            return splitOfId;
        }
    }

    /**
     * CUB-200-2011: {@code images/}, and numbered lists {@code images.txt}, {@code image_class_labels.txt}, {@code
     * train_test_split.txt}, {@code classes.txt}. A subset that keeps the original numbers is read just as well: labels are
     * positions in {@code classes.txt}, ids are the image numbers.
     */
    static final class Cub extends Layout {

        private static final List<String> FILES =
                List.of("images.txt", "image_class_labels.txt", "train_test_split.txt", "classes.txt");

        Cub() {
            super(
                    "cub",
                    "CUB-200-2011",
                    new OfficialSize(200, 11_788),
                    List.of(
                            new Protocol(
                                    "standard", new OfficialSplit(), new Validation.Unchanged(), "the official split"),
                            new Protocol(
                                    "paper", new OfficialSplit(), new Validation.Unchanged(), "the official split")));
        }

        @Override
        public Optional<String> complaint(Path root) {
            for (String file : FILES) {
                if (!Files.isRegularFile(root.resolve(file))) {
                    return Optional.of("no " + file + "; expected images/ and " + String.join(", ", FILES));
                }
            }
            return Files.isDirectory(root.resolve("images"))
                    ? Optional.empty()
                    : Optional.of("no directory images/; expected images/<class>/*.jpg next to images.txt");
        }

        @Override
        public Listing list(Path root) {
            Map<String, ListFile.Line> images = ListFile.byFirstField(root.resolve("images.txt"));
            Map<String, ListFile.Line> classOfImage = ListFile.byFirstField(root.resolve("image_class_labels.txt"));
            Map<String, ListFile.Line> trains = ListFile.byFirstField(root.resolve("train_test_split.txt"));
            Map<String, ListFile.Line> classes = ListFile.byFirstField(root.resolve("classes.txt"));
            ListingBuilder listing = new ListingBuilder(
                    classes.values().stream().map(ListFile.Line::text).toList());
            Map<String, Split> splitOfId = new HashMap<>();
            images.forEach((id, image) -> {
                ListFile.Line classId = required(classOfImage, id, "image_class_labels.txt", "image");
                ListFile.Line name = required(classes, classId.text(), "classes.txt", "class");
                listing.add(id, "images/" + image.path(), name.text());
                splitOfId.put(id, split(required(trains, id, "train_test_split.txt", "image")));
            });
            return listing.build(List.of(splitOfId));
        }

        private static ListFile.Line required(Map<String, ListFile.Line> lines, String id, String file, String what) {
            ListFile.Line line = lines.get(id);
            if (line == null) {
                throw new DatasetException(
                        file + " has no line for " + what + " " + id + "; the lists must belong together");
            }
            return line;
        }

        private static Split split(ListFile.Line line) {
            return switch (line.text()) {
                case "1" -> Split.TRAIN;
                case "0" -> Split.TEST;
                default ->
                    throw new DatasetException(
                            line.place() + ": expected 1 (train) or 0 (test) but found '" + line.text() + "'");
            };
        }
    }

    /**
     * FGVC-Aircraft: {@code data/images/<number>.jpg} and lists {@code data/images_<level>_{train,val,test}.txt} whose lines
     * are a number, a space and the name of a class, which may hold spaces. Where there is only {@code trainval}, it is the
     * training set.
     */
    static final class Aircraft extends Layout {

        public enum Level {
            VARIANT("variants.txt"),
            FAMILY("families.txt"),
            MANUFACTURER("manufacturers.txt");

            private final String classFile;

            Level(String classFile) {
                this.classFile = classFile;
            }

            /** Its name in the names of files. */
            public String key() {
                return name().toLowerCase(Locale.ROOT);
            }

            private @Nullable OfficialSize officialSize() {
                return switch (this) {
                    case VARIANT -> new OfficialSize(100, 10_000);
                    case FAMILY -> new OfficialSize(70, 10_000);
                    // Published counts of manufacturers disagree, so none is required.
                    case MANUFACTURER -> null;
                };
            }
        }

        private final Level level;

        /** @param level of the hierarchy that the classes are taken from */
        Aircraft(Level level) {
            super(
                    "aircraft-" + level.key(),
                    "FGVC-Aircraft (" + level.key() + ")",
                    level.officialSize(),
                    List.of(
                            new Protocol(
                                    "standard",
                                    new OfficialSplit(),
                                    new Validation.Merged(),
                                    "trainval trains, test tests"),
                            new Protocol(
                                    "paper",
                                    new OfficialSplit(),
                                    new Validation.Merged(),
                                    "trainval trains, test tests")));
            this.level = level;
        }

        @Override
        public Optional<String> complaint(Path root) {
            if (!Files.isDirectory(root.resolve("data/images"))) {
                return Optional.of("no directory data/images/; expected data/images/<number>.jpg");
            }
            if (!Files.isRegularFile(list(root, "test"))
                    || !(Files.isRegularFile(list(root, "train")) || Files.isRegularFile(list(root, "trainval")))) {
                return Optional.of("no data/images_" + level.key() + "_{train,val,test}.txt");
            }
            return Optional.empty();
        }

        @Override
        public Listing list(Path root) {
            Map<String, ListFile.Line> classOfImage = new TreeMap<>();
            Map<String, Split> splitOfId = new HashMap<>();
            lists(root)
                    .forEach((split, file) -> ListFile.byFirstField(file).forEach((number, line) -> {
                        if (!number.matches("\\d{1,12}")) {
                            throw new DatasetException(line.place() + ": '" + number + "' is not an image number");
                        }
                        if (classOfImage.put(number, line) != null) {
                            throw new DatasetException(
                                    line.place() + ": image " + number + " is already in another list");
                        }
                        splitOfId.put(number, split);
                    }));
            ListingBuilder listing = new ListingBuilder(classes(root, classOfImage));
            classOfImage.forEach((number, line) -> listing.add(number, "data/images/" + number + ".jpg", line.text()));
            return listing.build(List.of(splitOfId));
        }

        private Map<Split, Path> lists(Path root) {
            Map<Split, Path> lists = new EnumMap<>(Split.class);
            lists.put(Split.TEST, list(root, "test"));
            if (Files.isRegularFile(list(root, "train"))) {
                lists.put(Split.TRAIN, list(root, "train"));
                lists.put(Split.VALIDATION, list(root, "val"));
            } else {
                lists.put(Split.TRAIN, list(root, "trainval"));
            }
            return lists;
        }

        private Path list(Path root, String part) {
            return root.resolve("data/images_" + level.key() + "_" + part + ".txt");
        }

        private List<String> classes(Path root, Map<String, ListFile.Line> classOfImage) {
            Path official = root.resolve("data").resolve(level.classFile);
            return Files.isRegularFile(official)
                    ? ListFile.lines(official).stream().map(ListFile.Line::text).toList()
                    : classOfImage.values().stream()
                            .map(ListFile.Line::text)
                            .distinct()
                            .sorted()
                            .toList();
        }
    }

    /** KTH-TIPS-2b: {@code <class>/sample_{a,b,c,d}/*.png}, four physical samples of each of eleven materials. */
    static final class KthTips2b extends Layout {

        private static final Set<String> SAMPLES = Set.of("sample_a", "sample_b", "sample_c", "sample_d");

        KthTips2b() {
            super(
                    "kth-tips-2b",
                    "KTH-TIPS-2b",
                    new OfficialSize(11, 4752),
                    List.of(
                            new Protocol(
                                    "standard",
                                    new PhysicalSamples(3),
                                    new Validation.Unchanged(),
                                    "three samples train and one tests, four splits, as newer tables do"),
                            new Protocol(
                                    "paper",
                                    new PhysicalSamples(1),
                                    new Validation.Unchanged(),
                                    "one sample trains and three test, four splits")));
        }

        @Override
        public Optional<String> complaint(Path root) {
            List<Path> materials = materials(root);
            if (materials.isEmpty()) {
                return Optional.of("no <class>/sample_a/; expected <class>/sample_{a,b,c,d}/*.png");
            }
            return ClassFolders.otherThan(materials, root).map(folder -> folder + "/ holds images but no sample_a/");
        }

        @Override
        public Listing list(Path root) {
            List<Path> materials = materials(root);
            ListingBuilder listing =
                    new ListingBuilder(materials.stream().map(ImageTree::name).toList());
            for (Path material : materials) {
                for (Path sample : sampleFolders(material)) {
                    listing.addAll(root, sample, ImageTree.name(material), materials)
                            .forEach(path -> listing.physicalSample(path, ImageTree.name(sample)));
                }
            }
            return listing.build();
        }

        private static List<Path> materials(Path root) {
            return ImageTree.folders(root).stream()
                    .filter(folder -> !sampleFolders(folder).isEmpty())
                    .toList();
        }

        private static List<Path> sampleFolders(Path material) {
            return ImageTree.folders(material).stream()
                    .filter(folder -> SAMPLES.contains(ImageTree.name(folder)))
                    .toList();
        }
    }

    /**
     * KTH-TIPS, grey or in colour: {@code <class>/NN-scale_S_im_I_grey.png}, 81 images of each of ten materials at nine scales.
     */
    static final class KthTips extends Layout {

        private static final Pattern IMAGE = Pattern.compile("\\d+-scale_\\d+_im_\\d+_(grey|col)\\.png");

        KthTips() {
            super(
                    "kth-tips",
                    "KTH-TIPS",
                    new OfficialSize(10, 810),
                    List.of(
                            new Protocol(
                                    "standard",
                                    new RandomPerClass(40),
                                    new Validation.Unchanged(),
                                    "40 random images of each class train, 41 test, ten repeats"),
                            Protocol.paperTextures()));
        }

        @Override
        public Optional<String> complaint(Path root) {
            List<Path> materials = materials(root);
            if (materials.isEmpty()) {
                return Optional.of("no <class>/NN-scale_S_im_I_grey.png such as sponge/21-scale_1_im_1_grey.png");
            }
            return ClassFolders.otherThan(materials, root)
                    .map(folder -> folder + "/ holds images but none named like 21-scale_1_im_1_grey.png");
        }

        @Override
        public Listing list(Path root) {
            return ClassFolders.listing(root, materials(root));
        }

        private static List<Path> materials(Path root) {
            return ImageTree.folders(root).stream()
                    .filter(folder -> ImageTree.files(folder).stream()
                            .anyMatch(name -> IMAGE.matcher(name).matches()))
                    .toList();
        }
    }

    /** Flickr Material Database: {@code image/<class>/*.jpg}, ten materials, 100 images each, no official split. */
    static final class Fmd extends Layout {

        private static final Set<String> MATERIALS =
                Set.of("fabric", "foliage", "glass", "leather", "metal", "paper", "plastic", "stone", "water", "wood");

        Fmd() {
            super(
                    "fmd",
                    "FMD (Flickr Material Database)",
                    new OfficialSize(10, 1000),
                    List.of(
                            new Protocol(
                                    "standard",
                                    new RandomShare(0.5),
                                    new Validation.Unchanged(),
                                    "half of each class trains, 14 random splits"),
                            new Protocol(
                                    "paper",
                                    new Folds(3),
                                    new Validation.Unchanged(),
                                    "random thirds, two train and one tests"),
                            new Protocol(
                                    "ten-fold",
                                    new Folds(10),
                                    new Validation.Unchanged(),
                                    "ten folds, nine train and one tests")));
        }

        @Override
        public Optional<String> complaint(Path root) {
            if (!Files.isDirectory(root.resolve("image"))) {
                return Optional.of("no directory image/; expected image/<class>/*.jpg");
            }
            return materialFolders(root).isEmpty()
                    ? Optional.of("image/ has no directory for a material such as image/fabric/")
                    : Optional.empty();
        }

        @Override
        public Listing list(Path root) {
            return ClassFolders.listing(root, materialFolders(root));
        }

        private static List<Path> materialFolders(Path root) {
            return ImageTree.folders(root.resolve("image")).stream()
                    .filter(folder -> MATERIALS.contains(ImageTree.name(folder)))
                    .toList();
        }
    }
}
