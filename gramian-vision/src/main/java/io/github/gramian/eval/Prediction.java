package io.github.gramian.eval;

import io.github.gramian.certainty.PredictionSets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The output of a model for one image: a probability for each class, or the reason why the image was rejected. Where the true
 * class is known, the prediction carries it and can be scored. The probabilities are copied on the way in and on the way
 * out, so that a prediction is a value. Where classes share the largest probability the one with the lowest index counts as
 * predicted.
 */
public final class Prediction {

    private static final int UNKNOWN = -1;

    private final String image;
    private final List<String> classes;
    private final float[] probabilities;
    private final int predicted;
    private final int truth;
    private final @Nullable String rejection;
    private final Reference reference;

    private Prediction(
            String image,
            List<String> classes,
            float[] probabilities,
            int truth,
            @Nullable String rejection,
            Reference reference) {
        this.image = image;
        this.classes = classes;
        this.probabilities = probabilities;
        this.predicted = argmax(probabilities);
        this.truth = truth;
        this.rejection = rejection;
        this.reference = reference;
    }

    /**
     * What the model's reference of training images says about this one.
     *
     * @param novelty p-value; empty if the model has no reference
     * @param sets for sets of classes; null if the model has none
     * @param region of a defect; null if there is none
     */
    private record Reference(
            OptionalDouble novelty,
            @Nullable PredictionSets sets,
            @Nullable Region region) {

        private static final Reference NONE = new Reference(OptionalDouble.empty(), null, null);
    }

    /** A class that an image may belong to: its index, its name and its probability. */
    public record Candidate(int index, String label, float probability) {}

    /**
     * A rectangle of an image, in shares of its sides: {@code x} = 0.5 is the middle, whatever the size of the file.
     *
     * @param x of the left edge
     * @param y of the upper edge
     * @param width share of the image's width
     * @param height share of the image's height
     */
    public record Region(double x, double y, double width, double height) {}

    /**
     * The answer for an image that could be read.
     *
     * @param image its name, such as its path; empty for an image that came from memory
     * @param classes names of the classes
     * @param probabilities one a class, in the order of the names
     */
    public static Prediction of(String image, List<String> classes, float[] probabilities) {
        if (probabilities.length == 0 || probabilities.length != classes.size()) {
            throw new IllegalArgumentException(image + " has " + probabilities.length + " probabilities but there are "
                    + classes.size() + " classes; use the class list of the model");
        }
        return new Prediction(image, List.copyOf(classes), probabilities.clone(), UNKNOWN, null, Reference.NONE);
    }

    /** The answer for a file that is not an image, or not one that the model can take. */
    public static Prediction rejected(String image, String reason) {
        return new Prediction(image, List.of(), new float[0], UNKNOWN, reason, Reference.NONE);
    }

    /** The same for an image of another name. */
    public Prediction withImage(String name) {
        return new Prediction(name, classes, probabilities, truth, rejection, reference);
    }

    /**
     * The same with the p-value of its novelty, as the model that made it computes it.
     *
     * @param pValue between 0 and 1
     */
    public Prediction withNovelty(double pValue) {
        requireAccepted();
        if (!(pValue >= 0 && pValue <= 1)) {
            throw new IllegalArgumentException("the p-value of " + image + " is " + pValue + " and not within 0..1");
        }
        return with(new Reference(OptionalDouble.of(pValue), reference.sets(), reference.region()));
    }

    /** The same with what gives {@linkplain #set sets of classes}, as the model that made it stores it. */
    public Prediction withSets(PredictionSets sets) {
        requireAccepted();
        return with(new Reference(reference.novelty(), sets, reference.region()));
    }

    /** The same with the place of the defect that a model of good parts has found. */
    public Prediction withRegion(Region region) {
        requireAccepted();
        return with(new Reference(reference.novelty(), reference.sets(), region));
    }

    private Prediction with(Reference other) {
        return new Prediction(image, classes, probabilities, truth, rejection, other);
    }

    /**
     * The same with the true class, ready to be scored. Only now the probabilities are checked: they must be finite, not negative
     * and sum to 1, and the image needs a name, through which two models are compared image by image.
     *
     * @param index of the true class
     */
    public Prediction withTruth(int index) {
        requireAccepted();
        if (image.isBlank()) {
            throw new IllegalArgumentException("a prediction needs the path of its image");
        }
        if (index < 0 || index >= probabilities.length) {
            throw new IllegalArgumentException("the true class of " + image + " is " + index + " but its "
                    + probabilities.length + " probabilities are those of classes 0.." + (probabilities.length - 1)
                    + "; evaluate with the class list of the model");
        }
        ProbabilityCheck.require(image, probabilities);
        return new Prediction(image, classes, probabilities, index, null, reference);
    }

    private void requireAccepted() {
        if (rejection != null) {
            throw new IllegalStateException(
                    image + " was rejected: " + rejection + "; look at rejection() before the label");
        }
    }

    /** Index of the largest number; of equal ones the first. */
    public static int argmax(float[] values) {
        int best = 0;
        for (int k = 1; k < values.length; k++) {
            best = values[k] > values[best] ? k : best;
        }
        return best;
    }

    /** Name of the image, such as its path; empty for an image that came from memory. */
    public String image() {
        return image;
    }

    /** Names of the classes, in the order of the probabilities; empty if the image was rejected. */
    public List<String> classes() {
        return classes;
    }

    /** Why the image was rejected; empty if there is an answer. */
    public Optional<String> rejection() {
        return Optional.ofNullable(rejection);
    }

    /**
     * How unlike the training images this one is, as a p-value: of images like those of the training, 5 % have one below 0.05.
     * Empty if the model stores nothing about its training images, and if the image was rejected.
     */
    public OptionalDouble novelty() {
        return reference.novelty();
    }

    /** Where the defect is; empty for a good part, and for a model of classes. */
    public Optional<Region> region() {
        return Optional.ofNullable(reference.region());
    }

    /**
     * The classes that the image may belong to, the most probable first. For images like those of the training, the set holds
     * the true class with this probability. It always holds the most probable class, so it is never empty. If the model has
     * too few calibration images for this coverage, the set holds all classes.
     *
     * @param coverage above 0 and below 1, such as 0.9
     * @throws IllegalStateException if the model has no calibration scores, or the image was rejected
     */
    public List<Candidate> set(double coverage) {
        requireAccepted();
        if (reference.sets() == null) {
            throw new IllegalStateException("the model has no calibration scores for sets of classes; train it again");
        }
        return top(Math.max(1, reference.sets().members(probabilities, coverage).size()));
    }

    /** A copy of all probabilities; empty if the image was rejected. */
    public float[] probabilities() {
        return probabilities.clone();
    }

    /** Probability of one class. */
    public float probability(int index) {
        return probabilities[index];
    }

    /** argmax p: index of the most probable class. */
    public int predicted() {
        requireAccepted();
        return predicted;
    }

    /** Name of the most probable class. */
    public String label() {
        return classes.get(predicted());
    }

    /** max p, at most 1. */
    public double confidence() {
        return Math.min(1.0, probabilities[predicted()]);
    }

    /** The k most probable classes, or all of them if there are fewer, the most probable first. */
    public List<Candidate> top(int k) {
        return IntStream.range(0, probabilities.length)
                .boxed()
                .sorted((a, b) -> probabilities[a] == probabilities[b]
                        ? Integer.compare(a, b)
                        : Float.compare(probabilities[b], probabilities[a]))
                .limit(k)
                .map(index -> new Candidate(index, classes.get(index), probabilities[index]))
                .toList();
    }

    /**
     * Index of the true class.
     *
     * @throws IllegalStateException if it is not known
     */
    public int truth() {
        if (truth == UNKNOWN) {
            throw new IllegalStateException("the true class of " + image + " is not known; give it with withTruth");
        }
        return truth;
    }

    /** Whether the most probable class is the true one. */
    public boolean correct() {
        return predicted == truth();
    }

    /**
     * Place of the true class among all, from 1 = predicted. Ties are broken by index, as for {@link #predicted}: a model
     * that gives all classes the same probability does not get a top-5 accuracy of 1.
     */
    public int rankOfTruth() {
        int rank = 1;
        float own = probabilities[truth()];
        for (int k = 0; k < probabilities.length; k++) {
            if (probabilities[k] > own || (probabilities[k] == own && k < truth)) {
                rank++;
            }
        }
        return rank;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Prediction that
                && truth == that.truth
                && image.equals(that.image)
                && reference.novelty().equals(that.reference.novelty())
                && Objects.equals(reference.region(), that.reference.region())
                && Objects.equals(rejection, that.rejection)
                && classes.equals(that.classes)
                && Arrays.equals(probabilities, that.probabilities);
    }

    @Override
    public int hashCode() {
        return Objects.hash(image, truth, rejection, Arrays.hashCode(probabilities));
    }

    @Override
    public String toString() {
        if (rejection != null) {
            return image + ": rejected: " + rejection;
        }
        return image + ": " + label() + " with " + confidence()
                + (truth == UNKNOWN ? "" : ", truth " + classes.get(truth));
    }

    /** Refuses values that are not probabilities. */
    static final class ProbabilityCheck {

        /** How far the sum may lie from 1: rounding of float (or bf16) softmax over thousands of classes deviates less. */
        private static final double SUM_TOLERANCE = 1e-3;

        private ProbabilityCheck() {}

        /** They must be finite, not negative and sum to 1. */
        static void require(String image, float[] probabilities) {
            double sum = 0;
            for (int k = 0; k < probabilities.length; k++) {
                float p = probabilities[k];
                if (!Float.isFinite(p) || p < 0) {
                    throw new IllegalArgumentException("probability " + k + " of " + image + " is " + p
                            + "; a probability is finite and not negative: check the model's output for NaN and give"
                            + " softmax values, not scores");
                }
                sum += p;
            }
            if (Math.abs(sum - 1) > SUM_TOLERANCE) {
                throw new IllegalArgumentException("the probabilities of " + image + " sum to " + sum
                        + " and not to 1; give softmax values, not scores");
            }
        }
    }
}
