package io.github.gramian.dataset.layout.internal;

import io.github.gramian.dataset.internal.Folds;
import io.github.gramian.dataset.internal.Listing;
import io.github.gramian.dataset.internal.Protocol;
import io.github.gramian.dataset.internal.RandomShare;
import io.github.gramian.dataset.internal.Validation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Flickr Material Database: {@code image/<class>/*.jpg}, ten materials, 100 images each, no official split. */
final class FmdLayout extends Layout {

    private static final Set<String> MATERIALS =
            Set.of("fabric", "foliage", "glass", "leather", "metal", "paper", "plastic", "stone", "water", "wood");

    FmdLayout() {
        super("fmd", "FMD (Flickr Material Database)", new OfficialSize(10, 1000));
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
        return ClassFoldersLayout.listing(root, materialFolders(root));
    }

    private static List<Path> materialFolders(Path root) {
        return ImageTree.folders(root.resolve("image")).stream()
                .filter(folder -> MATERIALS.contains(ImageTree.name(folder)))
                .toList();
    }

    @Override
    public List<Protocol> protocols() {
        return List.of(
                new Protocol(
                        "standard",
                        new RandomShare(0.5),
                        new Validation.Unchanged(),
                        "half of each class trains, 14 random splits"),
                new Protocol(
                        "paper", new Folds(3), new Validation.Unchanged(), "random thirds, two train and one tests"),
                new Protocol(
                        "ten-fold", new Folds(10), new Validation.Unchanged(), "ten folds, nine train and one tests"));
    }
}
