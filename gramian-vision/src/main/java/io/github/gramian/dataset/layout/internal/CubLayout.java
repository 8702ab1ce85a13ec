package io.github.gramian.dataset.layout.internal;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Split;
import io.github.gramian.dataset.internal.Listing;
import io.github.gramian.dataset.internal.OfficialSplit;
import io.github.gramian.dataset.internal.Protocol;
import io.github.gramian.dataset.internal.Validation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * CUB-200-2011: {@code images/}, and numbered lists {@code images.txt}, {@code image_class_labels.txt}, {@code
 * train_test_split.txt}, {@code classes.txt}. A subset that keeps the original numbers is read just as well: labels are
 * positions in {@code classes.txt}, ids are the image numbers.
 */
final class CubLayout extends Layout {

    private static final List<String> FILES =
            List.of("images.txt", "image_class_labels.txt", "train_test_split.txt", "classes.txt");

    CubLayout() {
        super("cub", "CUB-200-2011", new OfficialSize(200, 11_788));
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

    @Override
    public List<Protocol> protocols() {
        return List.of(
                new Protocol("standard", new OfficialSplit(), new Validation.Unchanged(), "the official split"),
                new Protocol("paper", new OfficialSplit(), new Validation.Unchanged(), "the official split"));
    }
}
