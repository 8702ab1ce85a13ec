package io.github.gramian.recipe;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.internal.Protocol;
import io.github.gramian.dataset.internal.Protocol.Validation;
import io.github.gramian.dataset.layout.internal.Layout;
import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.tensor.Seed;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The images, and how they are split into training, validation and test images.
 *
 * @param images the dataset's directory, or a CSV manifest
 * @param layout layout of the dataset, such as {@code dtd} or {@code folders}; null to recognise it
 * @param protocol protocol of the layout, such as {@code standard}
 * @param split number of the protocol's split, from 1
 * @param validation fraction of the training images that is held out for validation, if the dataset does not
 *     have its own validation images; 0 for none
 * @param groups regular expression for the path of an image; its first capture group names the group of the image. Images of
 *     a group are never divided between training, validation, test, folds or leave-one-out. null if the dataset names groups
 *     itself, or each image is its own group
 */
public record DataConfig(
        String images,
        @Nullable String layout,
        String protocol,
        int split,
        double validation,
        @Nullable String groups) {

    public DataConfig {
        if (!(validation >= 0 && validation < 1)) {
            throw new IllegalArgumentException(
                    "data.validation must lie in 0..1 but is " + validation + "; 0.1 is common, 0 means none");
        }
    }

    /** Reads and divides the dataset. */
    public Dataset open(Seed seed) {
        if (images.isBlank()) {
            throw new IllegalArgumentException(
                    "no images are named; give data.images, or --images on the command line");
        }
        Path root = Path.of(images);
        if (layout != null) {
            return open(Layouts.named(layout), root, seed);
        }
        Layout found = Layouts.detect(root);
        try {
            return open(found, root, seed);
        } catch (DatasetException e) {
            if (found.officialSize().isEmpty()) {
                throw e;
            }
            throw new DatasetException(e.getMessage() + ". " + found.ifAnother(), e);
        }
    }

    private Dataset open(Layout found, Path root, Seed seed) {
        refuseEmptyClasses(found, root);
        Protocol agreed = found.protocol(protocol);
        return found.open(
                root,
                validation > 0 ? agreed.withValidation(new Validation.Carved(validation)) : agreed,
                split,
                seed,
                groups);
    }

    /** The same with other images. */
    public DataConfig withImages(String others) {
        return new DataConfig(others, layout, protocol, split, validation, groups);
    }

    /** A class without images must not silently vanish from a model. */
    private static void refuseEmptyClasses(Layout layout, Path root) {
        List<String> empty = layout.emptyClasses(root);
        if (!empty.isEmpty()) {
            throw new DatasetException(
                    "class directory '" + empty.get(0) + "' contains no images; add some or remove the directory");
        }
    }
}
