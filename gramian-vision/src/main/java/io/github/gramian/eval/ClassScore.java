package io.github.gramian.eval;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Precision, recall and F1 of one class, with c = images of the class that were predicted correctly:
 *
 * <pre>
 * precision = c / times predicted       0 for a class that was never predicted
 * recall    = c / support               0 for a class without images
 * f1        = 2c / (support + times predicted)   0 for a class without both
 * </pre>
 *
 * f1 in this form is the harmonic mean of the other two wherever that exists. Zeros, not NaN, because a report and JSON
 * have to show them; {@code support} distinguishes a class without images from one that was never predicted correctly.
 *
 * @param name of the class
 * @param support number of its images
 * @param precision fraction of correct predictions among the predictions of this class
 * @param recall fraction of its images that were predicted correctly; also called the class's accuracy
 * @param f1 both in one number
 */
public record ClassScore(String name, int support, double precision, double recall, double f1) {

    /** The scores of all classes, in the order of the matrix. */
    public static List<ClassScore> of(ConfusionMatrix confusion) {
        return IntStream.range(0, confusion.classes().size())
                .mapToObj(k -> of(confusion, k))
                .toList();
    }

    private static ClassScore of(ConfusionMatrix confusion, int k) {
        int hits = confusion.count(k, k);
        int support = confusion.support(k);
        int predicted = confusion.timesPredicted(k);
        return new ClassScore(
                confusion.classes().get(k),
                support,
                ratio(hits, predicted),
                ratio(hits, support),
                ratio(2 * hits, support + predicted));
    }

    private static double ratio(int part, int whole) {
        return whole == 0 ? 0 : (double) part / whole;
    }
}
