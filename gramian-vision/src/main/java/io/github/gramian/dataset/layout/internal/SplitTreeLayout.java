package io.github.gramian.dataset.layout.internal;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Split;
import io.github.gramian.dataset.internal.Listing;
import io.github.gramian.dataset.internal.Protocol;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Anybody's images, already divided: {@code train/<class>/**}, {@code val/<class>/**}, {@code test/<class>/**}. */
final class SplitTreeLayout extends Layout {

    SplitTreeLayout() {
        super("tree", "a tree of train/, val/ and test/ directories", null);
    }

    @Override
    public Optional<String> complaint(Path root) {
        Map<Split, Path> parts = parts(root);
        Path train = parts.get(Split.TRAIN);
        if (train == null || parts.size() < 2) {
            return Optional.of("expected train/ and at least one of val/ and test/");
        }
        return ClassFoldersLayout.classFolders(train).isEmpty()
                ? Optional.of("train/ has no directory with images; expected train/<class>/*.jpg")
                : Optional.empty();
    }

    @Override
    public Listing list(Path root) {
        Map<Split, Path> parts = parts(root);
        List<Path> all = parts.values().stream()
                .flatMap(part -> ClassFoldersLayout.classFolders(part).stream())
                .toList();
        ListingBuilder listing = new ListingBuilder(
                all.stream().map(ImageTree::name).distinct().sorted().toList());
        Map<String, Split> splitOfId = new HashMap<>();
        parts.forEach((split, part) -> {
            for (Path folder : ClassFoldersLayout.classFolders(part)) {
                listing.addAll(root, folder, ImageTree.name(folder), all).forEach(path -> splitOfId.put(path, split));
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

    @Override
    public List<Protocol> protocols() {
        return ManifestLayout.dividedByTheUser();
    }
}
