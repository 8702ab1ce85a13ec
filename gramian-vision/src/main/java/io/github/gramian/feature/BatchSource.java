package io.github.gramian.feature;

import io.github.gramian.tensor.Seed;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;

/** Labelled images as feature maps, in batches, in any order. */
public interface BatchSource {

    /** The accuracy on so many images has a standard error of two points, which is the least that is of use. */
    int ENOUGH_TO_CHOOSE = 500;

    /** Images. */
    int count();

    /** The label of each image. */
    int[] labels();

    /** 0, 1, … count − 1: every image once. */
    default int[] inOrder() {
        return IntStream.range(0, count()).toArray();
    }

    /** Whether the share of these images that a classifier gets wrong can tell two of them apart. */
    default boolean enoughToChoose() {
        return count() >= ENOUGH_TO_CHOOSE;
    }

    /** Views of an image; each is a row of a batch. */
    int views();

    /** Where principal components of a branch's features are kept; empty where the features are not. */
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

    /** Batches, one after the other. */
    interface Stream extends Iterator<Batch>, AutoCloseable {
        @Override
        void close();
    }

    /** One batch. */
    interface Batch {

        /** Feature maps for each branch, [images·views, C, N], without a graph. */
        List<Tensor> maps();

        /** Indices of its images; the rows of image i are i·views to (i+1)·views − 1. */
        int[] images();

        /** Sends gradients of the maps on to whatever made them; a frozen backbone needs none. */
        default void backward(List<Tensor> gradients) {}
    }
}
