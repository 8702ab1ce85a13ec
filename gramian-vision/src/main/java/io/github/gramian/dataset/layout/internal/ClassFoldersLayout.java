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

/** Anybody's images: {@code <class>/**}, a folder a class, images at any depth inside it. */
final class ClassFoldersLayout extends Layout {

    ClassFoldersLayout() {
        super("folders", "one directory per class", null);
    }

    @Override
    public Optional<String> complaint(Path root) {
        if (!classFolders(root).isEmpty()) {
            return Optional.empty();
        }
        boolean loose = ImageTree.files(root).stream().anyMatch(name -> ImageTree.isImage(FileNames.path(name)));
        return Optional.of(
                loose
                        ? "it holds images but no directories of images; put the images of each class into a separate directory"
                        : "no directory with images; expected <class>/*.jpg");
    }

    @Override
    public Listing list(Path root) {
        return listing(root, classFolders(root));
    }

    /** Every folder is a class, named like the folder, in the order given. */
    static Listing listing(Path root, List<Path> classFolders) {
        ListingBuilder listing =
                new ListingBuilder(classFolders.stream().map(ImageTree::name).toList());
        for (Path folder : classFolders) {
            listing.addAll(root, folder, ImageTree.name(folder), classFolders);
        }
        return listing.build();
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
