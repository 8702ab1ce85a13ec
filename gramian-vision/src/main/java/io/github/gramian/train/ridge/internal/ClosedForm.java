package io.github.gramian.train.ridge.internal;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Split;
import io.github.gramian.recipe.ClassesConfig.Weights;
import io.github.gramian.recipe.InitialisationConfig;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RidgeConfig;
import io.github.gramian.recipe.RidgeConfig.Refit;
import io.github.gramian.train.descriptor.internal.DescriptorFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How a training fits its classifier in closed form: decided, and refused where the disk is too small, before anything is
 * computed.
 *
 * @param method how it is solved
 * @param images number of labelled images, for training and validation, with their copies
 * @param length dimensions of a descriptor
 * @param folder where descriptors go that do not fit into memory; it need not exist yet
 * @param weights of the classes
 */
public record ClosedForm(RidgeMethod method, int images, long length, Path folder, Weights weights) {

    /** Every image counts the same. */
    ClosedForm(RidgeMethod method, int images, long length, Path folder) {
        this(method, images, length, folder, Weights.NONE);
    }

    /** For these images, before any is read. */
    public static ClosedForm of(Recipe recipe, Dataset dataset, long length, Path folder) {
        int images = dataset.samples(Split.TRAIN).size()
                + dataset.samples(Split.VALIDATION).size();
        return of(recipe.ridge(), images * (1 + recipe.views().copyCount()), length, folder)
                .with(recipe.classes().weights());
    }

    public static ClosedForm of(RidgeConfig config, int images, long length, Path folder) {
        return new ClosedForm(RidgeMethod.of(images, length, config), images, length, folder, Weights.NONE);
    }

    /** The same with weights of the classes. */
    ClosedForm with(Weights other) {
        return new ClosedForm(method, images, length, folder, other);
    }

    /** Whether a recipe may ask for a classifier in closed form at all. */
    public static boolean mayBeAsked(Recipe recipe) {
        return recipe.refit() != Refit.NEVER
                || !recipe.stage1().runs()
                || recipe.initialisation().classifier() == InitialisationConfig.ClassifierStart.RIDGE;
    }

    /** Whether the descriptors are stored on disk while the classifier is fitted. */
    public boolean onDisk(RidgeConfig config) {
        return method != RidgeMethod.DUAL && DescriptorFile.bytes(images, length) > config.memoryBudget();
    }

    /** Refuses a disk that is too small. */
    public void requireDiskSpace(RidgeConfig config) throws IOException {
        if (onDisk(config)) {
            Path there = folder.toAbsolutePath();
            while (!Files.exists(there) && there.getParent() != null) {
                there = there.getParent();
            }
            DescriptorFile.requireDiskSpace(there, DescriptorFile.bytes(images, length));
        }
    }

    /** A description of the method, for people. */
    public String sentence() {
        return method.sentence(images, length);
    }
}
