package io.github.gramian.eval.internal;

import java.util.List;

/**
 * Which test images of one run two models predict correctly.
 *
 * @param images names the list of images; runs with the same list evaluated the same images
 * @param first which of them the first model predicts correctly, in the order of the list
 * @param second which of them the second predicts correctly
 */
public record PairedRun(String images, List<Boolean> first, List<Boolean> second) {

    public PairedRun {
        if (first.isEmpty() || first.size() != second.size()) {
            throw new IllegalArgumentException("the models must have seen the same images, at least one, but saw "
                    + first.size() + " and " + second.size());
        }
        first = List.copyOf(first);
        second = List.copyOf(second);
    }

    /** 1 where only the second model predicts the image correctly, −1 where only the first does. */
    int difference(int image) {
        return (second.get(image) ? 1 : 0) - (first.get(image) ? 1 : 0);
    }

    /** Accuracy of the second model minus that of the first. */
    double meanDifference() {
        int sum = 0;
        for (int i = 0; i < first.size(); i++) {
            sum += difference(i);
        }
        return (double) sum / first.size();
    }

    /** The test on this run's images. */
    McNemar mcNemar() {
        int onlyFirst = 0;
        int onlySecond = 0;
        for (int i = 0; i < first.size(); i++) {
            onlyFirst += difference(i) < 0 ? 1 : 0;
            onlySecond += difference(i) > 0 ? 1 : 0;
        }
        return McNemar.ofCounts(onlyFirst, onlySecond);
    }
}
