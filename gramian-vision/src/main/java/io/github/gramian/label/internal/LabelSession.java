package io.github.gramian.label.internal;

import io.github.gramian.eval.ConfidenceInterval;
import io.github.gramian.tensor.Seed;
import io.github.gramian.train.ridge.internal.ComponentRidge;
import io.github.gramian.train.ridge.internal.LeftOutScores;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A folder of images while somebody labels them: a classifier that is fitted again after every label, its exact leave-one-out
 * accuracy, the images to label next, labels that are probably wrong, and images that are alike.
 *
 * <p>Everything follows from the set of labels and the seed: a label that is taken back leaves no trace. Images of a group are
 * left out together. For several threads at once. Owns native memory until it is closed.
 */
public final class LabelSession implements AutoCloseable {

    /** An image without a label. */
    public static final int NONE = -1;

    /** With fewer labelled images, an accuracy would say nothing. */
    static final int MIN_IMAGES = 10;

    private static final int NEIGHBOURS = 5;

    private final ImageSpace space;
    private final int[] groups;
    private final Seed seed;
    private final int[] labels;
    private int classes;
    private @Nullable LabelFit fit;

    /**
     * The share of labelled images whose label is predicted without them. Somebody who labels hard images first gets a lower
     * value than that of all images.
     *
     * @param value from 0 to 1
     * @param interval that covers the choice of images; a group counts as one
     * @param images number of labelled images
     */
    public record Accuracy(double value, ConfidenceInterval interval, int images) {}

    /**
     * An image whose label is probably wrong.
     *
     * @param given index of its class
     * @param suggested index of the class that the other images suggest
     * @param score how much more probable the suggested class is: its probability over the sum of both, 0.5 to 1
     * @param neighbours the nearest labelled images of other groups, the nearest first
     */
    @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
    public record Suspect(int image, int given, int suggested, double score, int[] neighbours) {}

    private LabelSession(ImageSpace space, int[] groups, Seed seed) {
        this.space = space;
        this.groups = groups.clone();
        this.seed = seed;
        this.labels = new int[space.images()];
        Arrays.fill(labels, NONE);
    }

    /** Opens a session in which each image is its own group. */
    public static LabelSession of(float[][] descriptors, Seed seed) {
        return of(descriptors, IntStream.range(0, descriptors.length).toArray(), seed);
    }

    /**
     * Opens a session without classes and labels.
     *
     * @param descriptors of all images, with or without labels, of 1 to 256 dimensions: [images][dimensions]
     * @param groups number of the group of each image
     * @param seed of clusters and samples
     */
    public static LabelSession of(float[][] descriptors, int[] groups, Seed seed) {
        if (groups.length != descriptors.length) {
            throw new IllegalArgumentException("there must be one group per image, but there are " + groups.length
                    + " groups and " + descriptors.length + " images");
        }
        return new LabelSession(new ImageSpace(descriptors), groups, seed);
    }

    /** Number of images. */
    public int images() {
        return labels.length;
    }

    /** Number of classes. */
    public synchronized int classes() {
        return classes;
    }

    /** Adds a class, which has no image yet, and returns its index. */
    public synchronized int addClass() {
        return classes++;
    }

    /** The class of an image, or {@link #NONE}. */
    public synchronized int label(int image) {
        return labels[checked(image)];
    }

    /** Labels an image, whether it has a label or not. */
    public synchronized void label(int image, int classIndex) {
        if (classIndex < 0 || classIndex >= classes) {
            throw new IllegalArgumentException(
                    "there are " + classes + " classes, but the label is " + classIndex + "; add the class first");
        }
        change(checked(image), classIndex);
    }

    /** Takes the label of an image back, if it has one. */
    public synchronized void unlabel(int image) {
        change(checked(image), NONE);
    }

    private void change(int image, int label) {
        if (labels[image] != label) {
            labels[image] = label;
            fit = null;
        }
    }

    private int checked(int image) {
        if (image < 0 || image >= labels.length) {
            throw new IllegalArgumentException("images are numbered 0.." + (labels.length - 1) + ", not " + image);
        }
        return image;
    }

    /** The classifier that is fitted to the labels of now. */
    private synchronized LabelFit fit() {
        LabelFit known = fit;
        if (known == null) {
            known = LabelFit.of(space, labels, groups, classes);
            fit = known;
        }
        return known;
    }

    /**
     * The probabilities of an image's classes; that of a class without an image is 0. Until images of two classes have labels,
     * all classes are equally probable. An image with a label is predicted as if it had one.
     */
    public double[] probabilities(int image) {
        LabelFit now = fit();
        return now.probabilities(checked(image));
    }

    /**
     * The images to label next, the most useful first. One image of each group comes first; others of labelled groups follow when
     * there are no more.
     */
    public int[] next(int count) {
        return next(count, image -> true);
    }

    /**
     * The same among some images, for instance those that nobody has skipped.
     *
     * @param candidates says which images may be chosen; labelled ones never are
     */
    public int[] next(int count, IntPredicate candidates) {
        LabelFit now = fit();
        int[] open = IntStream.range(0, labels.length)
                .filter(image -> now.label(image) == NONE && candidates.test(image))
                .toArray();
        float[] uncertainty = now.uncertainty();
        NextImages next = new NextImages(space, seed.child("next"));
        int[] first = new OpenGroups(groups).representatives(now.labelled(), open, uncertainty);
        int[] chosen = next.choose(count, now.labelled(), first, uncertainty);
        if (chosen.length >= count || first.length == open.length) {
            return chosen;
        }
        int[] known = IntStream.concat(IntStream.of(now.labelled()), IntStream.of(chosen))
                .toArray();
        int[] more = next.choose(count - chosen.length, known, OpenGroups.without(open, chosen), uncertainty);
        return IntStream.concat(IntStream.of(chosen), IntStream.of(more)).toArray();
    }

    /** The accuracy of the labels so far, by leaving out each group; empty until there are ten of two classes. */
    public Optional<Accuracy> accuracy() {
        LabelFit now = fit();
        int[] labelled = now.labelled();
        Optional<ComponentRidge> ridge = now.ridge();
        if (ridge.isEmpty() || labelled.length < MIN_IMAGES) {
            return Optional.empty();
        }
        double value = ridge.get().leftOut().accuracy();
        int independent = (int)
                IntStream.of(labelled).map(image -> groups[image]).distinct().count();
        int correct = (int) Math.round(value * independent);
        return Optional.of(new Accuracy(
                value, ConfidenceInterval.ofAccuracy(correct, independent, seed.value()), labelled.length));
    }

    /** Labels that the other images contradict, the most suspicious first. */
    public List<Suspect> suspects() {
        LabelFit now = fit();
        Optional<ComponentRidge> ridge = now.ridge();
        if (ridge.isEmpty()) {
            return List.of();
        }
        LeftOutScores scores = ridge.get().leftOut();
        int[] labelled = now.labelled();
        float[][] rows = space.rows(labelled);
        List<Suspect> suspects = new ArrayList<>();
        for (int place : now.predictable()) {
            int image = labelled[place];
            int given = now.column(now.label(image));
            double margin = LabelCheck.margin(scores, place, given);
            if (margin > 0) {
                suspects.add(new Suspect(
                        image,
                        now.label(image),
                        now.classOf(scores.bestOther(place, given)),
                        1 / (1 + Math.exp(-scores.temperature() * margin)),
                        neighbours(rows, place, other -> groups[labelled[other]] != groups[image])
                                .map(other -> labelled[other])
                                .toArray()));
            }
        }
        suspects.sort(Comparator.comparingDouble(Suspect::score).reversed().thenComparingInt(Suspect::image));
        return suspects;
    }

    private static IntStream neighbours(float[][] rows, int place, IntPredicate candidates) {
        float[] cosines = new float[rows.length];
        for (int other = 0; other < rows.length; other++) {
            cosines[other] = (float) ImageSpace.cosine(rows[place], rows[other]);
        }
        return IntStream.of(ImageSpace.nearest(cosines, NEIGHBOURS, candidates));
    }

    /** The images that are most like an image, the nearest first. */
    public int[] neighbours(int image, int count) {
        return space.neighbours(checked(image), count);
    }

    /** Clusters of all images, at most k, the largest first; in each, the image nearest to its centre first. */
    public int[][] clusters(int k) {
        return space.clusters(k, seed.child("clusters"));
    }

    /** Two principal components of each image, for a map. */
    public float[][] map() {
        return space.map();
    }

    /**
     * A cluster of images without labels that fits none of the classes: candidates for a new class, the one nearest to their
     * centre first.
     */
    public Optional<int[]> newClass() {
        return NewClass.of(space, fit(), groups, seed.child("new class"));
    }

    @Override
    public void close() {
        space.close();
    }

    /**
     * Spreads suggestions over groups, since a second image of an object teaches little.
     *
     * @param groups number of the group of each image
     */
    @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
    private record OpenGroups(int[] groups) {

        /**
         * The most uncertain image of each group without a label.
         *
         * @param open images that may be chosen
         */
        int[] representatives(int[] labelled, int[] open, float[] uncertainty) {
            Set<Integer> known = new HashSet<>();
            for (int image : labelled) {
                known.add(groups[image]);
            }
            Map<Integer, Integer> best = new HashMap<>();
            for (int image : open) {
                if (!known.contains(groups[image])) {
                    best.merge(groups[image], image, (a, b) -> uncertainty[b] > uncertainty[a] ? b : a);
                }
            }
            return best.values().stream().mapToInt(Integer::intValue).sorted().toArray();
        }

        /** All of some images but those of others. */
        static int[] without(int[] images, int[] others) {
            Set<Integer> left = new HashSet<>();
            IntStream.of(others).forEach(left::add);
            return IntStream.of(images).filter(image -> !left.contains(image)).toArray();
        }
    }

    /**
     * Finds images that no class resembles. The novelty of an image is 1 − its largest cosine with the mean of a class; that of a
     * labelled image is relative to the mean of the other images of its own class. An image is far from all classes if nine of
     * ten labelled images are less novel.
     */
    static final class NewClass {

        /** Fewer labelled images do not show how far images of a class are from its mean. */
        private static final int MIN_LABELLED = 10;

        /** A class worth suggesting has more than a pair of images. */
        private static final int MIN_MEMBERS = 3;

        private static final double QUANTILE = 0.9;
        private static final int IMAGES_PER_CLUSTER = 20;
        private static final int MAX_CLUSTERS = 64;

        private NewClass() {}

        /** The cluster with the most images that are far from all classes, if they are its majority and none has a label. */
        static Optional<int[]> of(ImageSpace space, LabelFit fit, int[] groups, Seed seed) {
            int[] labelled = fit.labelled();
            if (fit.ridge().isEmpty() || labelled.length < MIN_LABELLED) {
                return Optional.empty();
            }
            int classes = fit.ridge().get().leftOut().classes();
            float[][] sums = new float[classes][space.dimensions()];
            float[][] rows = space.rows(labelled);
            for (int place = 0; place < labelled.length; place++) {
                add(sums[fit.column(fit.label(labelled[place]))], rows[place], 1);
            }
            double[] within = within(fit, groups, rows, sums);
            if (within.length == 0) {
                return Optional.empty();
            }
            Arrays.sort(within);
            double far = within[(int) (QUANTILE * (within.length - 1))];
            float[][] cosines = space.cosines(sums);
            boolean[] novel = new boolean[space.images()];
            for (int image = 0; image < novel.length; image++) {
                int each = image;
                novel[image] = 1
                                - IntStream.range(0, classes)
                                        .mapToDouble(c -> cosines[c][each])
                                        .max()
                                        .orElseThrow()
                        > far;
            }
            int k = Math.min(MAX_CLUSTERS, Math.max(2 * classes, space.images() / IMAGES_PER_CLUSTER));
            return Arrays.stream(space.clusters(k, seed))
                    .filter(members -> IntStream.of(members).allMatch(image -> fit.label(image) == LabelSession.NONE))
                    .map(members ->
                            IntStream.of(members).filter(image -> novel[image]).toArray().length * 2 > members.length
                                    ? members
                                    : new int[0])
                    .filter(members -> members.length >= MIN_MEMBERS)
                    .findFirst();
        }

        /** The novelty of each labelled image whose class has images in other groups. */
        private static double[] within(LabelFit fit, int[] groups, float[][] rows, float[][] sums) {
            int[] labelled = fit.labelled();
            return IntStream.of(fit.predictable())
                    .mapToDouble(place -> {
                        int image = labelled[place];
                        float[] others = sums[fit.column(fit.label(image))].clone();
                        for (int other = 0; other < labelled.length; other++) {
                            if (groups[labelled[other]] == groups[image]
                                    && fit.label(labelled[other]) == fit.label(image)) {
                                add(others, rows[other], -1);
                            }
                        }
                        return 1 - ImageSpace.cosine(others, rows[place]);
                    })
                    .toArray();
        }

        private static void add(float[] sum, float[] row, float sign) {
            for (int k = 0; k < sum.length; k++) {
                sum[k] += sign * row[k];
            }
        }
    }
}
