package io.github.gramian.dataset.layout.internal;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Split;
import io.github.gramian.dataset.internal.Folds;
import io.github.gramian.dataset.internal.Listing;
import io.github.gramian.dataset.internal.OfficialSplit;
import io.github.gramian.dataset.internal.Protocol;
import io.github.gramian.dataset.internal.Validation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Describable Textures Dataset: {@code images/<class>/*.jpg} and ten splits into thirds in {@code
 * labels/{train,val,test}{1..10}.txt}, whose lines are {@code <class>/<file>}.
 */
final class DtdLayout extends Layout {

    private static final int SPLITS = 10;

    DtdLayout() {
        super("dtd", "DTD (Describable Textures Dataset)", new OfficialSize(47, 5640));
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
                    throw new DatasetException(line.place() + ": expected <class>/<file> but found '" + image + "'");
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

    @Override
    public List<Protocol> protocols() {
        return List.of(
                new Protocol(
                        "standard",
                        new OfficialSplit(),
                        new Validation.Merged(),
                        "ten official splits, train+val for training"),
                new Protocol(
                        "paper", new Folds(3), new Validation.Unchanged(), "random thirds, two train and one tests"));
    }
}
