package io.github.gramian.dataset.layout.internal;

import io.github.gramian.dataset.internal.Folds;
import io.github.gramian.dataset.internal.Listing;
import io.github.gramian.dataset.internal.Protocol;
import io.github.gramian.dataset.internal.RandomShare;
import io.github.gramian.dataset.internal.Validation;
import io.github.gramian.io.internal.FileNames;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Anybody's images: {@code <class>/**}, one folder per class, images at any depth inside it. A folder that only holds images is a
 * single class.
 */
final class ClassFoldersLayout extends Layout {

    ClassFoldersLayout() {
        super("folders", "one directory per class", null);
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
                classFolders.stream().map(ClassFoldersLayout::className).toList());
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
        return ImageTree.folders(root).stream().filter(ImageTree::holdsImages).toList();
    }

    /** The name of a folder with images that is not among the ones given, if there is one. */
    static Optional<String> otherThan(List<Path> folders, Path root) {
        return classFolders(root).stream()
                .filter(folder -> !folders.contains(folder))
                .map(ImageTree::name)
                .findFirst();
    }

    @Override
    public List<Protocol> protocols() {
        return List.of(
                new Protocol(
                        "standard",
                        new RandomShare(0.8),
                        new Validation.Unchanged(),
                        "a random 80 % of each class trains, the rest tests"),
                new Protocol(
                        "paper",
                        new Folds(3),
                        new Validation.Unchanged(),
                        "the paper's treatment of textures: random thirds, two train and one tests"));
    }
}
