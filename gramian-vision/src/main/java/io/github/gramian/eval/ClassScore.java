package io.github.gramian.eval;

import java.util.List;
import java.util.stream.IntStream;

/**
 * How well one class is recognised, with c = images of the class that were recognised:
 *
 * <pre>
 * precision = c / times predicted       0 for a class that was never predicted
 * recall    = c / support               0 for a class without images
 * f1        = 2c / (support + times predicted)   0 for a class without both
 * </pre>
 *
 * f1 in this form is the harmonic mean of the other two wherever that exists. Zeros, not NaN, because a report and JSON
 * have to show them; {@code support} tells a class without images from one that was never recognised.
 *
 * @param name of the class
 * @param support number of its images
 * @param precision share of right answers among the answers "this class"
 * @param recall share of its images that were recognised; also called the class's accuracy
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
