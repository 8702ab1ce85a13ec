package io.github.gramian.dataset.layout;

import io.github.gramian.io.internal.FileNames;
import java.nio.file.Path;
import java.util.List;

/** A folder of images without labels. */
public final class ImageFolder {

    private ImageFolder() {}

    /** The files below a folder that are images by their names, at any depth, sorted; hidden ones are ignored. */
    public static List<Path> images(Path folder) {
        return ImageTree.below(folder, folder).images().stream()
                .map(image -> FileNames.within(folder, image))
                .toList();
    }
}
