package io.github.gramian.dataset.layout.internal;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Split;
import io.github.gramian.dataset.internal.Listing;
import io.github.gramian.dataset.internal.OfficialSplit;
import io.github.gramian.dataset.internal.Protocol;
import io.github.gramian.dataset.internal.Validation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * FGVC-Aircraft: {@code data/images/<number>.jpg} and lists {@code data/images_<level>_{train,val,test}.txt} whose lines
 * are a number, a space and the name of a class, which may hold spaces. Where there is only {@code trainval}, it is the
 * training set.
 */
final class AircraftLayout extends Layout {

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
    AircraftLayout(Level level) {
        super("aircraft-" + level.key(), "FGVC-Aircraft (" + level.key() + ")", level.officialSize());
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
                        throw new DatasetException(line.place() + ": image " + number + " is already in another list");
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

    @Override
    public List<Protocol> protocols() {
        return List.of(
                new Protocol("standard", new OfficialSplit(), new Validation.Merged(), "trainval trains, test tests"),
                new Protocol("paper", new OfficialSplit(), new Validation.Merged(), "trainval trains, test tests"));
    }
}
