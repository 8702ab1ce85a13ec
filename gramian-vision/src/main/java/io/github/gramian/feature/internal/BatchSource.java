package io.github.gramian.feature.internal;

import io.github.gramian.tensor.Seed;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;

/** Labelled images as feature maps, in batches, in any order. */
public interface BatchSource {

    /** The accuracy on this number of images has a standard error of two points; with fewer it cannot compare models. */
    int ENOUGH_TO_CHOOSE = 500;

    int count();

    int[] labels();

    /** 0, 1, … count − 1: every image once. */
    default int[] inOrder() {
        return IntStream.range(0, count()).toArray();
    }

    /**
     * For each entry, the number of its group: entries with the same number are left out together, because they are versions
     * of one image or images of one object.
     */
    default int[] groups() {
        return inOrder();
    }

    /** Whether the numbers of groups mean the same in all sources of a dataset. */
    default boolean sharesGroups() {
        return false;
    }

    /** Whether there are enough images to compare classifiers by their error. */
    default boolean enoughToChoose() {
        return count() >= ENOUGH_TO_CHOOSE;
    }

    /** Views of an image; each is a row of a batch. */
    int views();

    /** The PCA cache for a branch's features; empty where features are not cached. */
    default Optional<PcaCache> components(int branch) {
        return Optional.empty();
    }

    /**
     * Batches of these images. The caller asks for a batch inside the scope of the step that uses it, and closes the
     * stream.
     *
     * @param order indices of images
     * @param seed of random views
     */
    Stream open(int[] order, int batchSize, Seed seed);

    interface Stream extends Iterator<Batch>, AutoCloseable {
        @Override
        void close();
    }

    interface Batch {

        /** Feature maps for each branch, [images·views, C, N], without a graph. */
        List<Tensor> maps();

        /** Indices of its images; the rows of image i are i·views to (i+1)·views − 1. */
        int[] images();

        /** Propagates gradients of the maps to the backbone; a frozen backbone needs none. */
        default void backward(List<Tensor> gradients) {}
    }
}
