package io.github.gramian.bench.quality;

import io.github.gramian.label.internal.LabelCheck;
import io.github.gramian.tensor.Seed;
import io.github.gramian.train.ridge.internal.CrossValidation;
import io.github.gramian.train.ridge.internal.LeftOutScores;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Whether an accuracy that is measured on several photographs of each object is too high. Some objects of each class are trained on;
 * leaving out one photograph, or all photographs of one object, gives an accuracy. The other objects are new, and show which accuracy
 * is right.
 *
 * @param rows of all photographs
 * @param truth class of each photograph
 * @param objects number of the object of each photograph
 */
@SuppressWarnings("ArrayRecordComponent") // read only
public record GroupBenchmark(CrossValidation rows, int[] truth, int[] objects) {

    /**
     * The accuracies of one draw of objects.
     *
     * @param seed of the draw
     * @param withoutGroups accuracy by leaving out one photograph at a time
     * @param newWithoutGroups accuracy of that classifier on new objects
     * @param withGroups accuracy by leaving out one object at a time
     * @param newWithGroups accuracy of that classifier on new objects
     */
    public record Draw(
            long seed, double withoutGroups, double newWithoutGroups, double withGroups, double newWithGroups) {}

    /**
     * Draws objects several times.
     *
     * @param perClass number of objects per class to train on; the others are new
     * @param seeds number of draws
     */
    public List<Draw> run(int perClass, int seeds) {
        List<Draw> draws = new ArrayList<>();
        for (int seed = 1; seed <= seeds; seed++) {
            HeldOutImages images = new HeldOutImages(
                    rows, outside(perClass, new Seed(seed).child("objects").random()));
            int[] places = images.fitted();
            int[] labels = HeldOutImages.some(truth, places);
            int[] alone = IntStream.range(0, places.length).toArray();
            try (CrossValidation training = rows.some(places)) {
                LeftOutScores single = LeftOutScores.of(training, labels, alone, LabelCheck.LAMBDAS);
                LeftOutScores grouped =
                        LeftOutScores.of(training, labels, HeldOutImages.some(objects, places), LabelCheck.LAMBDAS);
                draws.add(new Draw(
                        seed,
                        single.accuracy(),
                        images.accuracy(labels, truth, single.relativeLambda()),
                        grouped.accuracy(),
                        images.accuracy(labels, truth, grouped.relativeLambda())));
            }
        }
        return draws;
    }

    /** All photographs but those of some objects of each class. */
    private boolean[] outside(int perClass, SplittableRandom random) {
        Map<Integer, Set<Integer>> chosen = new HashMap<>();
        for (int image : RepairBenchmark.shuffled(truth.length, random)) {
            Set<Integer> ofClass = chosen.computeIfAbsent(truth[image], label -> new HashSet<>());
            if (ofClass.size() < perClass) {
                ofClass.add(objects[image]);
            }
        }
        boolean[] outside = new boolean[truth.length];
        for (int image = 0; image < outside.length; image++) {
            outside[image] = !chosen.getOrDefault(truth[image], Set.of()).contains(objects[image]);
        }
        return outside;
    }
}
